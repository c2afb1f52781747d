//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// ld.so's clock is a number that may look like an address; a variable of a program with the same name may be a pointer.
func TestNumbersOfTheLoaderAreItsOwn(t *testing.T) {
	loader, other := &mappings.Module{Path: "/lib64/ld-linux-x86-64.so.2"}, &mappings.Module{Path: "/usr/lib/libfoo.so.1"}
	for _, name := range []string{"load_time", "_rtld_global_ro", "tunable_list"} {
		if !isNumber(name, loader) || isNumber(name, other) || !mayHaveNumbers(loader) || mayHaveNumbers(other) {
			t.Errorf("%s is no number of the loader's, or one of another library's", name)
		}
	}
	if libc := (&mappings.Module{Path: "/lib64/libc.so.6"}); !isNumber("mp_", libc) || isNumber("mp_", other) || isNumber("mp_", loader) {
		t.Error("mp_ is no number of glibc's, or one of another library's")
	}
	if isNumber("_rtld_global", loader) {
		t.Error("the loader's lists are no numbers")
	}
}
