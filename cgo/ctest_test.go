//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

var cFlags = strings.Fields("-std=gnu11 -Wall -Wextra -Werror -DCGOHEAP_WRAP -g -O2 -fno-omit-frame-pointer")

// The tests of C that run here too. Only those whose outcome does not depend on how busy the machine is, and with the fewest
// rounds that notice a change of what they test. make ctest runs all, under sanitizers.
var testsOfC = []struct{ name, scale, only string }{
	{"walk_test", "10", ""},
	{"pages_test", "10", ""},
	{"memory_test", "10", ""},
	{"stacks_test", "1", ""},
	{"cfi_test", "20", ""},
	{"weight_test", "10", ""},
	{"wide_test", "10", ""},
	{"live_test", "10", "what an array holds"},
	{"gate_test", "10", "who enters while the epoch changes belongs to the next one"},
	{"peak_test", "10", "a reset that finds no exact total is made up for"},
	{"last_test", "1", ""},
}

func TestTheTestsOfC(t *testing.T) {
	tools, folder := toolchain.Target(t), t.TempDir()
	objects := buildRoom(t, tools, folder)
	for _, c := range testsOfC {
		t.Run(c.name, func(t *testing.T) {
			program := filepath.Join(folder, c.name)
			arguments := append([]string{"-DSCALE=" + c.scale, "-o", program, "testdata/ctest/" + c.name + ".c"}, objects...)
			tools.Build(t, "gcc", append(append(arguments, cFlags...), "-lm", "-lpthread")...)
			command := tools.Run(program)
			command.Env = append(os.Environ(), "ONLY="+c.only)
			output, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(output), "ok  ") {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// A program that is linked with --wrap must be static: what libraries allocate would not be seen.
func TestAProgramForWrapKnowsWhetherItIsStatic(t *testing.T) {
	tools, folder := toolchain.Target(t), t.TempDir()
	for _, c := range []struct{ link, refusal string }{{"-static", "0"}, {"-no-pie", "4"}, {"-pie", "4"}} {
		program := filepath.Join(folder, "wrap_test"+c.link)
		sources := []string{"-DCGOHEAP_WRAP", "-o", program, "testdata/ctest/wrap_test.c", "real_wrap.c", "-fPIE", c.link}
		tools.Build(t, "gcc", append(sources, cFlags...)...)
		if output, err := tools.Run(program, c.refusal).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.link, err, output)
		}
	}
}

// buildRoom compiles the C of this room that needs no hooks, and returns the object files.
func buildRoom(t *testing.T, tools toolchain.Toolchain, folder string) (objects []string) {
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if !inRoom(source) {
			continue
		}
		object := filepath.Join(folder, source+".o")
		tools.Build(t, "gcc", append([]string{"-c", "-o", object, source}, cFlags...)...)
		objects = append(objects, object)
	}
	return objects
}

func inRoom(source string) bool {
	other := map[string]string{"amd64": "_arm64.c", "arm64": "_amd64.c"}[runtime.GOARCH]
	if strings.HasSuffix(source, other) || strings.HasPrefix(source, "real") {
		return false
	}
	return source != "probe.c" && source != "operators.c" && source != "hooks.c"
}
