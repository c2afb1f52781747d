package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// A need returns what this machine lacks for a row; "" if nothing.
type need func() string

// current is the version of the go command in the path.
var current = sync.OnceValue(func() string { return goVersion("") })()

func goVersion(toolchain string) string {
	version := exec.Command("go", "env", "GOVERSION")
	version.Env = append(os.Environ(), "GOPROXY=off")
	if toolchain != "" {
		version.Env = append(version.Env, "GOTOOLCHAIN="+toolchain)
	}
	out, err := version.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// here returns this package's directory, from which the program was built: with -trimpath, it is not in the debug data, but the
// program runs inside its module.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	if folder := filepath.Dir(file); filepath.IsAbs(folder) {
		return folder
	}
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", filepath.ToSlash(filepath.Dir(file))).Output()
	if err != nil {
		panic(fmt.Errorf("go list: %w", err))
	}
	return strings.TrimSpace(string(folder))
}

func tool(name, debian string) need {
	return func() string {
		if _, err := exec.LookPath(name); err != nil {
			return "needs " + name + " (Debian: " + debian + ")"
		}
		return ""
	}
}

func library(path, debian string) need {
	return func() string {
		if _, err := os.Stat(path); err != nil {
			return "needs " + filepath.Base(path) + " (Debian: " + debian + ")"
		}
		return ""
	}
}

// compiles is a need for everything that a program with a C header takes, such as a sanitizer's runtime.
func compiles(compiler, flag, header, debian string) need {
	return func() string {
		compile := exec.Command(compiler, flag, "-x", "c", "-include", header, "-o", os.DevNull, "-")
		compile.Stdin = strings.NewReader("int main(void) { return 0; }")
		if compile.Run() != nil {
			return "needs " + header + " (Debian: " + debian + ")"
		}
		return ""
	}
}

func installed(toolchain string) need {
	return func() string {
		if goVersion(toolchain) != toolchain {
			return "needs " + toolchain + " (GOTOOLCHAIN=" + toolchain + " go version fetches it)"
		}
		return ""
	}
}

// namespaces need root, and sometimes even a container's root may not use them.
func namespaces() string {
	if out, err := exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt").CombinedOutput(); err != nil {
		return "needs mount namespaces: " + strings.TrimSpace(string(out))
	}
	return ""
}

func root() string {
	if os.Getuid() != 0 {
		return "needs root"
	}
	return ""
}
