//go:build linux && cgo

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A build is a way to make an executable of the program core.
type build struct {
	name       string // also the executable's
	libc, mode string // for the table
	toolchain  string // "": the current one
	tags       string
	flags      []string // of go build
	env        []string
	main       string   // a C program around the library that Go builds; "": none
	mainFlags  []string // of the C compiler
	plugin     bool     // core is a plugin, which the program opener opens
	opener     []string // flags of go build for opener only
	arguments  string   // what core must know about it; PLUGIN is where it is
	needs      []need
}

// A workshop is a directory with the programs that were made.
type workshop struct {
	dir  string
	made map[string]error
}

func newWorkshop() (*workshop, error) {
	dir, err := os.MkdirTemp("", "cgoheap-matrix-")
	if err != nil {
		return nil, err
	}
	// Hosts without rights must reach the programs.
	return &workshop{dir, make(map[string]error)}, os.Chmod(dir, 0o755)
}

func (w *workshop) close() { os.RemoveAll(w.dir) }

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

// program is the executable of a build, made when it is first asked for.
func (w *workshop) program(b build) (string, error) {
	path := w.path(b.name)
	if _, known := w.made[b.name]; !known {
		w.made[b.name] = b.make(path)
	}
	return path, w.made[b.name]
}

func (b build) make(path string) error {
	if b.plugin {
		return errors.Join(b.goBuild(path+".so", "../core", "-buildmode=plugin"), b.goBuild(path, "../opener", append([]string{"-tags=profiler"}, b.opener...)...))
	}
	if b.main == "" {
		return b.goBuild(path, "../core")
	}
	library := path + ".a"
	if strings.Contains(b.mode, "c-shared") {
		library = filepath.Join(filepath.Dir(path), "lib"+b.name+".so")
	}
	if err := b.goBuild(library, "../core"); err != nil {
		return err
	}
	args := []string{"-O2", "-g", "-I" + filepath.Dir(path), "-DLIBRARY=\"" + library + "\"", "-o", path, "testdata/" + b.main}
	for _, flag := range b.mainFlags {
		args = append(args, strings.ReplaceAll(flag, "LIBRARY", library))
	}
	return command(nil, "gcc", append(args, "-lpthread")...)
}

func (b build) goBuild(path, program string, flags ...string) error {
	args := []string{"build"}
	if b.tags != "" {
		args = append(args, "-tags="+b.tags)
	}
	args = append(slices.Concat(args, b.flags, flags), "-o", path, program)
	env := b.env
	if b.toolchain != "" {
		env = append(env[:len(env):len(env)], "GOTOOLCHAIN="+b.toolchain)
	}
	return command(env, "go", args...)
}

// command runs a tool in this package's directory.
func command(env []string, name string, args ...string) error {
	tool := exec.Command(name, args...)
	tool.Dir = here()
	tool.Env = append(os.Environ(), env...)
	if out, err := tool.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", tool, err, out)
	}
	return nil
}
