package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildFolder holds compiled programs. git ignores it.
const buildFolder = "capture/build"

// loadGo builds the work as a Go program, with these tags.
func loadGo(tags ...string) (path string, err error) {
	return built(strings.Join(append([]string{"load"}, tags...), "-"), func(path string) *exec.Cmd {
		return exec.Command("go", "build", "-tags", strings.Join(tags, ","), "-o", path, "./capture/load")
	})
}

// loadC builds the work as a C program, with frame pointers or without.
func loadC(framed bool) (path string, err error) {
	name, flag := "alone", "-fomit-frame-pointer"
	if framed {
		name, flag = "alone-framed", "-fno-omit-frame-pointer"
	}
	return built(name, func(path string) *exec.Cmd {
		return exec.Command("gcc", "-O2", "-g", flag, "-o", path,
			"capture/load/alone/main.c", "capture/load/pairs.c", "capture/load/levels.c", "capture/load/routes.c", "-pthread")
	})
}

// built runs a compiler, which writes to an absolute path.
func built(name string, compile func(path string) *exec.Cmd) (path string, err error) {
	path, err = filepath.Abs(filepath.Join(buildFolder, name))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(buildFolder, 0o755); err != nil {
		return "", err
	}
	command := compile(path)
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", command, err, output)
	}
	return path, nil
}
