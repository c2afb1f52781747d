//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// A library maps memory in its constructor: once before the constructors of the program, and once inside dlopen, while a recording
// runs.
func TestLibrariesThatMapInConstructors(t *testing.T) {
	const again = "CGOHEAP_TEST_MAPPING"
	if library := os.Getenv(again); library != "" {
		openWhileRecording(t, library)
		return
	}
	folder := t.TempDir()
	early, late := filepath.Join(folder, "early.so"), filepath.Join(folder, "late.so")
	for _, library := range []string{early, late} {
		toolchain.Target(t).Build(t, "gcc", "-O1", "-Wall", "-fPIC", "-shared", "-o", library, "../internal/victim/testdata/mapping.c", "-lpthread")
	}
	command := exec.Command(os.Args[0], "-test.run=^TestLibrariesThatMapInConstructors$", "-test.v")
	command.Env = append(os.Environ(), "LD_PRELOAD="+early, again+"="+late)
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

func openWhileRecording(t *testing.T, library string) {
	const left = 37 * page
	r := start(t, everything)
	plugin, err := victim.OpenPlugin(library)
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close()
	list, kernel := mapped(t, r)
	found := 0
	for i := range list {
		m := &list[i]
		if m.Limit-m.Start == left && m.Kind == account.Program {
			found++
			if !slices.ContainsFunc(m.Frames, func(f stack.Frame) bool { return strings.HasSuffix(goFunction(f), "victim.OpenPluginIn") }) {
				t.Errorf("its stack does not lead through dlopen into Go: %x", m.Frames)
			}
		}
	}
	if found != 1 {
		t.Errorf("the constructor left one range, and %d are known", found)
	}
	if ranges := beyond(list, kernel); len(ranges) > 0 {
		t.Errorf("nothing is mapped at %x", ranges)
	}
	lossless(t, r)
}
