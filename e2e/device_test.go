package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// The stand-in for CUDA's driver, and programs that open it, in a folder of their own.
type cards struct{ folder string }

func standIn(t *testing.T) cards {
	t.Helper()
	c := cards{t.TempDir()}
	toolchain.Target(t).Build(t, "gcc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-soname,libcuda.so.1",
		"-o", filepath.Join(c.folder, "libcuda.so.1"), "../cgo/testdata/cuda/cuda.c", "-lpthread")
	return c
}

func (c cards) run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+c.folder)
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

var deviceBuilds = []struct {
	build
	tool string // that is needed
}{
	{build{name: "lld", flags: []string{"-ldflags=-extldflags=-fuse-ld=lld"}}, "ld.lld"},
	{build{name: "mold", flags: []string{"-ldflags=-extldflags=-fuse-ld=mold"}}, "mold"},
	{build{name: "clang", env: []string{"CC=clang", "CXX=clang++"}}, "clang"},
	{pie, "gcc"}, {stripped, "gcc"}, {race, "gcc"},
}

// What a program has on devices is what the driver says, with stacks that lead into Go.
func TestDevices(t *testing.T) {
	if toolchain.Target(t).Emulated() {
		t.Skip("an emulator's loader does not find the driver") // nor has it Python
	}
	c := standIn(t)
	t.Run("plain", func(t *testing.T) {
		c.run(t, made(t, "device-plain", nil, "go", "build", "./device"))
	})
	for _, b := range deviceBuilds {
		t.Run(b.name, func(t *testing.T) {
			long(t)
			toolchain.Target(t).Tool(t, b.tool)
			words := append([]string{"go", "build"}, b.flags...)
			c.run(t, made(t, "device-"+b.name, b.env, append(words, "./device")...))
		})
	}
	t.Run("by the script, preloaded too", func(t *testing.T) {
		long(t)
		c.run(t, "device/check.sh")
	})
}
