package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is a file whose addresses are named.
type program struct{ name, path string }

// buildFolder holds compiled programs. git ignores it.
const buildFolder = "names/build"

// programs returns the usual programs, or the given one.
func programs(file string) ([]program, error) {
	if file != "" {
		return []program{{filepath.Base(file), file}}, nil
	}
	if err := os.MkdirAll(buildFolder, 0o755); err != nil {
		return nil, err
	}
	service, err := buildService()
	if err != nil {
		return nil, err
	}
	cxx, err := buildCxx()
	if err != nil {
		return nil, err
	}
	found := []program{{"Go service with SQLite", service}, {"C++ program", cxx}}
	if libc, err := libcDebugFile(); err == nil {
		return append(found, program{"libc", libc}), nil
	}
	fmt.Fprintln(os.Stderr, "names: libc is left out, because its debug file is not installed (Debian: libc6-dbg)")
	return found, nil
}

func buildService() (string, error) {
	path, err := filepath.Abs(filepath.Join(buildFolder, "service"))
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "build", "-o", path, ".")
	command.Dir = "../examples/leaky"
	return path, run(command)
}

//go:embed testdata/unit.cc
var unitSource []byte

// cxxUnits is how many copies of the unit make more than 100 MB of debug data.
const cxxUnits = 16

func buildCxx() (string, error) {
	path, err := filepath.Abs(filepath.Join(buildFolder, "cxx"))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var declarations, calls strings.Builder
	link := []string{"-g", "-O2", "-o", path, "-x", "c++", "-", "-x", "none"}
	for i := range cxxUnits {
		object, err := compileUnit(i)
		if err != nil {
			return "", err
		}
		link = append(link, object)
		fmt.Fprintf(&declarations, "namespace unit%d { long run(int); }\n", i)
		fmt.Fprintf(&calls, " + unit%d::run(argc)", i)
	}
	command := exec.Command("g++", link...)
	command.Stdin = strings.NewReader(declarations.String() + "int main(int argc, char **) { return 0" + calls.String() + "; }\n")
	return path, run(command)
}

func compileUnit(i int) (object string, err error) {
	name := fmt.Sprintf("unit%d", i)
	object = filepath.Join(buildFolder, name+".o")
	fmt.Fprintf(os.Stderr, "names: compiling unit %d of %d\n", i+1, cxxUnits)
	command := exec.Command("g++", "-std=c++17", "-g", "-O2", "-c", "-o", object, "-x", "c++", "-")
	command.Stdin = bytes.NewReader(bytes.ReplaceAll(unitSource, []byte("UNIT"), []byte(name)))
	return object, run(command)
}

// libcDebugFile is where Debian's libc6-dbg puts the debug data of the C library.
func libcDebugFile() (string, error) {
	library, err := exec.Command("gcc", "-print-file-name=libc.so.6").Output()
	if err != nil {
		return "", err
	}
	notes, err := exec.Command("readelf", "-n", strings.TrimSpace(string(library))).Output()
	if err != nil {
		return "", err
	}
	_, id, found := strings.Cut(string(notes), "Build ID: ")
	if !found || len(id) < 40 {
		return "", fmt.Errorf("%s has no build ID", library)
	}
	path := fmt.Sprintf("/usr/lib/debug/.build-id/%s/%s.debug", id[:2], id[2:40])
	_, err = os.Stat(path)
	return path, err
}

func run(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command, err, output)
	}
	return nil
}
