package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	unitSource = "../../bench/names/testdata/unit.cc"
	// Sixteen copies of the unit make more than 100 MB of debug data.
	units = 16
)

// build returns the path of the service, which stays in a folder that git ignores.
func build(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	var link []string
	var declarations, calls strings.Builder
	for i := range units {
		object, err := compileUnit(folder, i)
		if err != nil {
			return "", err
		}
		link = append(link, object)
		fmt.Fprintf(&declarations, "namespace unit%d { long run(int); }\n", i)
		fmt.Fprintf(&calls, " + unit%d::run(n)", i)
	}
	all := filepath.Join(folder, "units.o")
	source := declarations.String() + "extern \"C\" long run_units(int n) { return 0" + calls.String() + "; }\n"
	if err := run(compiler(all, source)); err != nil {
		return "", err
	}
	program := filepath.Join(folder, "big")
	with := strings.Join(append(link, all, "-lstdc++"), " ")
	return program, run(exec.Command("go", "build", "-ldflags=-extldflags '"+with+"'", "-o", program, "./speed/big"))
}

func compileUnit(folder string, i int) (object string, err error) {
	name := fmt.Sprintf("unit%d", i)
	object = filepath.Join(folder, name+".o")
	if _, err := os.Stat(object); err == nil {
		return object, nil
	}
	fmt.Fprintf(os.Stderr, "speed: compiling unit %d of %d\n", i+1, units)
	source, err := os.ReadFile(unitSource)
	if err != nil {
		return "", err
	}
	return object, run(compiler(object, string(bytes.ReplaceAll(source, []byte("UNIT"), []byte(name)))))
}

func compiler(object, source string) *exec.Cmd {
	command := exec.Command("g++", "-std=c++17", "-g", "-O2", "-c", "-o", object, "-x", "c++", "-")
	command.Stdin = strings.NewReader(source)
	return command
}

func run(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command, err, output)
	}
	return nil
}
