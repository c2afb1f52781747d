package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed testdata/library.c
var librarySource []byte

// The libraries' functions that allocate have names of one length, so that the libraries have one size.
var (
	libraryNames = [2]string{"stress_in_first", "stress_in_other"}
	libraryPaths [2]string
)

// buildLibraries compiles the libraries into a folder.
func buildLibraries(folder string) error {
	source := filepath.Join(folder, "library.c")
	if err := os.WriteFile(source, librarySource, 0o600); err != nil {
		return err
	}
	for i, name := range libraryNames {
		libraryPaths[i] = filepath.Join(folder, name+".so")
		compile := exec.Command("gcc", "-O2", "-g", "-fPIC", "-shared", "-DNAME="+name, "-o", libraryPaths[i], source)
		if out, err := compile.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", compile, err, out)
		}
	}
	return nil
}
