package e2e

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// plugin builds a package of this module as a plugin.
func (b build) plugin(t *testing.T, name string) string {
	t.Helper()
	long(t)
	command := append([]string{"go", "build", "-buildmode=plugin"}, b.flags...)
	return made(t, name+"-"+b.name+".so", b.env, append(command, "./"+name)...)
}

// opens runs a program that opens a plugin and exits with 0 if the recording is right.
func (b build) opens(t *testing.T, program, name string, arguments ...string) {
	t.Helper()
	opened := b.plugin(t, name)
	command := append([]string{"go", "build", "-tags=profiler"}, b.flags...)
	path := made(t, program+"-"+b.name, b.env, append(command, "./"+program)...)
	run := toolchain.Target(t).Run(path, append([]string{opened}, arguments...)...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", run, err, out)
	}
}

func TestPluginThatContainsTheProfiler(t *testing.T) { plain.opens(t, "opener", "core", "plugin") }

func TestPluginWithoutSymbols(t *testing.T) { stripped.opens(t, "opener", "core", "plugin", "unnamed") }

func TestPluginThatIsOpenedWhileTheProgramRecords(t *testing.T) { plain.opens(t, "plugged", "guest") }

func TestPluginInAProgramWithoutTheProfiler(t *testing.T) {
	core := plain.plugin(t, "core")
	program := made(t, "opener-bare", nil, "go", "build", "./opener")
	out, err := toolchain.Target(t).Run(program, core, "plugin").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(out), "first in line for malloc") {
		t.Errorf("%v\n%s", err, out)
	}
}
