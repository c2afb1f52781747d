package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// libraryOfLLVM returns the path of the installed version.
func libraryOfLLVM(t *testing.T) string {
	t.Helper()
	gcc := toolchain.Target(t).Tool(t, "gcc")
	for version := 14; version <= 30; version++ {
		for _, pattern := range []string{"libLLVM-%d.so.1", "libLLVM.so.%d.1"} {
			output, err := exec.Command(gcc, "-print-file-name="+fmt.Sprintf(pattern, version)).Output()
			if path := strings.TrimSpace(string(output)); err == nil && filepath.IsAbs(path) {
				return path
			}
		}
	}
	if toolchain.Target(t).Emulated() {
		t.Skip("an emulator has no LLVM of its architecture")
	}
	t.Skip("LLVM is not installed")
	return ""
}

// namesAbove lists, for each stack that begins in a C function, the names above it.
func namesAbove(t *testing.T, p *cgoheap.Profiler, function string) (list [][]string) {
	t.Helper()
	whole, err := truth.Take(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range whole.Sample {
		if names := truth.Names(sample); names[0] == function {
			list = append(list, names[1:])
		}
	}
	return list
}

func TestNamesOfCodeThatLLVMMakes(t *testing.T) {
	library := filepath.Join(t.TempDir(), "query.so")
	toolchain.Target(t).Build(t, "gcc", "-O2", "-g", "-fPIC", "-shared", "-o", library, "testdata/llvm.c", libraryOfLLVM(t))
	plugin, err := victim.OpenPlugin(library)
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close()
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	plugin.Call("query_compile", 0)

	whole := []string{"query::leaf", "query::middle", "query_run", "query_execute"}
	reaches := func(names []string) bool {
		return len(names) > len(whole) && slices.Equal(names[:len(whole)], whole) && slices.Contains(names, module+"e2e."+t.Name())
	}
	// Until the list of code made at run time has been read, stacks end in the innermost function.
	for begun := time.Now(); !slices.ContainsFunc(namesAbove(t, p, "query_allocate"), reaches); {
		if time.Since(begun) > 10*time.Minute {
			t.Fatalf("%q", namesAbove(t, p, "query_allocate"))
		}
		plugin.Call("query_execute", 1000)
	}
	for _, names := range namesAbove(t, p, "query_allocate") {
		if names[0] != whole[0] {
			t.Errorf("%q", names)
		}
	}
	plugin.Call("query_dispose", 0)
	for _, names := range namesAbove(t, p, "query_allocate") {
		if names[0] != "[code made at run time]" {
			t.Errorf("%q, though the code is gone", names)
		}
	}
}
