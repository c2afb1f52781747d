package preload

import (
	"bufio"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Target is what a library is made for.
type Target struct {
	Arch string // as GOARCH
	Musl bool   // otherwise glibc

	Devices bool // whether it also has the hooks of CUDA's driver, and of dlsym, which lead to them
}

func (t Target) libc() string {
	if t.Musl {
		return "musl"
	}
	return "glibc"
}

// Program is a file that can be recorded.
type Program struct {
	Target
	Go string // for Settings
}

// machines are those that a recording can run on.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// FindProgram returns the path of a program as a shell would find it.
func FindProgram(name string) (path string, err error) {
	path, err = exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrDot):
		return "", fmt.Errorf("%s is in this folder, and not in PATH: write ./%s", name, name)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no program %s in PATH: give its path, such as ./%s", name, name)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%s may not be run: chmod +x it, or name a program", name)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no program %s", name)
	case errors.Is(err, syscall.EISDIR):
		return "", fmt.Errorf("%s is a folder: name a program", name)
	}
	return path, err
}

// Inspect returns what must be known of a program to record it, by its path; of a script, of its interpreter. An error says why the
// program cannot be recorded, and what to do instead.
func Inspect(path string) (Program, error) {
	for range 5 { // as many as the kernel follows
		interpreter, err := interpreterOf(path)
		if err != nil {
			return Program{}, err
		}
		if interpreter == "" {
			target, err := inspect(path)
			if err != nil {
				return Program{}, err
			}
			return Program{target, goCode(path)}, nil
		}
		path = interpreter
	}
	return Program{}, fmt.Errorf("%s: scripts that run each other", path)
}

// interpreterOf returns the program that runs a script; "" if it is no script.
func interpreterOf(path string) (string, error) {
	f, err := descriptor.Open(path)
	if err != nil {
		return "", fmt.Errorf("the program cannot be inspected: %w", err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 256)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	after, script := bytes.CutPrefix(line, []byte("#!"))
	words := strings.Fields(string(after))
	if !script || len(words) == 0 {
		return "", nil
	}
	return words[0], nil
}

func inspect(path string) (t Target, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return t, fmt.Errorf("%s is no program of this system, and no script, which begins with a line such as #!/bin/sh", path)
	}
	defer f.Close()
	if f.Machine != machines[runtime.GOARCH] || f.Class != elf.ELFCLASS64 {
		return t, fmt.Errorf("%s is a program for %v (%v), and this is cgoheap for %s: build the program for that, or run the cgoheap of its "+
			"own machine", path, f.Machine, f.Class, runtime.GOARCH)
	}
	if err := setsUser(path); err != nil {
		return t, err
	}
	if err := sanitized(f, path); err != nil {
		return t, err
	}
	loader := ""
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			text, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
			if err != nil {
				return t, fmt.Errorf("%s: %w", path, err)
			}
			loader = strings.TrimRight(string(text), "\x00")
		}
	}
	if loader == "" {
		return t, static(path)
	}
	return Target{Arch: runtime.GOARCH, Musl: strings.HasPrefix(filepath.Base(loader), "ld-musl")}, nil
}

// sanitized returns an error for a program whose malloc must be the first, and that ends if it is not.
func sanitized(f *elf.File, path string) error {
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, library := range libraries {
		for _, sanitizer := range []string{"libasan.", "libtsan.", "liblsan.", "libhwasan."} {
			if strings.HasPrefix(library, sanitizer) {
				return fmt.Errorf("%s is compiled with a sanitizer (%s), which takes malloc: build it without -fsanitize", path, library)
			}
		}
	}
	return nil
}

// static says what can be done with a program that has no loader.
func static(path string) error {
	if _, err := buildinfo.ReadFile(path); err == nil {
		return fmt.Errorf("%s is a Go program without libc, so there is no malloc to record: Go's own memory is in the heap profile of "+
			"net/http/pprof; if it calls C, build it with CGO_ENABLED=1, and not with -static", path)
	}
	return fmt.Errorf("%s is linked statically, so nothing can be put before its malloc: link it dynamically, without -static", path)
}
