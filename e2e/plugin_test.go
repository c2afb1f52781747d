//go:build linux && cgo

package e2e

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// plugin is a package of this module as a plugin, built that way.
func (b build) plugin(t *testing.T, name string) string {
	t.Helper()
	command := append([]string{"go", "build", "-buildmode=plugin"}, b.flags...)
	return made(t, name+"-"+b.name+".so", b.env, append(command, "./"+name)...)
}

// plugged runs the program plugged, which opens a plugin and judges what was recorded.
func (b build) plugged(t *testing.T, name string, arguments ...string) {
	t.Helper()
	command := append([]string{"go", "build"}, b.flags...)
	program := made(t, "plugged-"+b.name, b.env, append(command, "./plugged")...)
	run := toolchain.Target(t).Run(program, append([]string{name, b.plugin(t, name)}, arguments...)...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", run, err, out)
	}
}

func TestPluginThatContainsTheProfiler(t *testing.T) { plain.plugged(t, "core", "plugin") }

func TestPluginWithoutSymbols(t *testing.T) { stripped.plugged(t, "core", "plugin", "unnamed") }

func TestPluginThatIsOpenedWhileTheProgramRecords(t *testing.T) { plain.plugged(t, "guest") }

func TestPluginInAProgramWithoutTheProfiler(t *testing.T) {
	program := made(t, "bare", nil, "go", "build", "./bare")
	out, err := toolchain.Target(t).Run(program, plain.plugin(t, "core"), "plugin").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(out), "first in line for malloc") {
		t.Errorf("%v\n%s", err, out)
	}
}
