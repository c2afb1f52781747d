package preload

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/background"
)

// flags are those of package cgo for C that runs inside malloc (cgo/recording.go), and what makes a library of it.
var (
	flags = strings.Fields("-O2 -Wall -fno-omit-frame-pointer -ftls-model=initial-exec -fvisibility=hidden -fno-plt -fno-lto -fPIC " +
		"-DCGOHEAP_OPERATORS -DCACHE_ENTRIES=16384 -fexceptions -include names.h -I.")
	linking = strings.Fields("-shared -lpthread -ldl -Wl,--no-undefined -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete " +
		"-Wl,-z,initfirst")
)

// devices has hooks_device.c define the public names.
const devices = "-DCGOHEAP_DEVICES"

// compiler is a C compiler with the arguments that it is always given.
type compiler []string

// errNoCompiler reports that there is none.
var errNoCompiler = errors.New("a C compiler is needed once, to make the library that records, and there is none: install gcc or clang " +
	"(Debian: gcc libc6-dev), or set CC; or take libcgoheap-….so from ~/.cache/cgoheap of a machine that has made it, by -library")

// errNoMusl reports that there is none for musl.
var errNoMusl = errors.New("the program is linked with musl, and there is no C compiler for that: install musl-gcc (Debian: musl-tools), " +
	"or set CC")

// findCompiler returns the one that CC names, or else the first that is installed.
func findCompiler(t Target) (compiler, error) {
	names, none := []string{"gcc", "cc", "clang"}, errNoCompiler
	if t.Musl && !isMusl() {
		names, none = []string{"musl-gcc"}, errNoMusl
	}
	if given := strings.Fields(os.Getenv("CC")); len(given) > 0 {
		path, err := exec.LookPath(given[0])
		if err != nil {
			return nil, fmt.Errorf("CC is %q: %w", os.Getenv("CC"), err)
		}
		return append(compiler{path}, given[1:]...), nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return compiler{path}, nil
		}
	}
	return nil, none
}

// isMusl reports whether this machine's own libc is musl.
func isMusl() bool {
	musl, _ := filepath.Glob("/lib/ld-musl-*")
	glibc, _ := filepath.Glob("/lib*/ld-linux-*")
	return len(musl) > 0 && len(glibc) == 0
}

// identity distinguishes this compiler from another, or another version.
func (c compiler) identity() (string, error) {
	path, err := filepath.EvalSymlinks(c[0])
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintln(c, path, info.Size(), info.ModTime().UnixNano()), nil
}

// build compiles the files in a folder, which has the sources, and links them.
func (c compiler) build(folder string, list []source, t Target, to string) error {
	objects, err := c.compileAll(folder, list, t)
	if err != nil {
		return err
	}
	return c.run(folder, slices.Concat([]string{"-o", to}, objects, linking))
}

func (c compiler) compileAll(folder string, list []source, t Target) (objects []string, err error) {
	var wanted []string
	flags := flags
	if t.Devices {
		flags = append(slices.Clone(flags), devices)
	}
	for _, s := range list {
		if isCompiled(s.name, t) {
			wanted = append(wanted, s.name)
			objects = append(objects, object(s.name))
		}
	}
	failed := make([]error, runtime.NumCPU())
	workers := make([]func(), len(failed))
	for i := range workers {
		workers[i] = func() {
			for at := i; at < len(wanted) && failed[i] == nil; at += len(workers) {
				failed[i] = c.run(folder, slices.Concat(flags, []string{"-c", "-o", object(wanted[at]), wanted[at]}))
			}
		}
	}
	background.Apart("compiling", workers...)
	return objects, errors.Join(failed...)
}

func object(source string) string { return strings.TrimSuffix(source, ".c") + ".o" }

func (c compiler) run(folder string, arguments []string) error {
	command := exec.Command(c[0], slices.Concat(c[1:], arguments)...)
	command.Dir = folder
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %.2000s", strings.Join(c, " "), err, strings.TrimSpace(out.String()))
	}
	return nil
}
