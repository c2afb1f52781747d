package symbolize

import (
	"os"
	"reflect"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// goAddresses lists addresses in the Go code of this program, but not the padding before a function: there the runtime,
// which is asked with return addresses, names the function after it.
func goAddresses(m *mappings.Module, stride mappings.RuntimeAddr) (addresses []mappings.RuntimeAddr) {
	for _, r := range m.Ranges {
		for a := r.Start; a < r.Limit; a += stride {
			here, next := runtime.FuncForPC(uintptr(a)), runtime.FuncForPC(uintptr(a+1))
			if here != nil && next != nil && here.Entry() == next.Entry() {
				addresses = append(addresses, a)
			}
		}
	}
	return addresses
}

func TestGoCodeOfAFileIsNamedAsTheRuntimeNamesItsOwn(t *testing.T) {
	loaded, err := mappings.Self()
	if err != nil {
		t.Skip("there is no list of loaded files here: ", err)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	step := 13
	if testing.Short() {
		step = 101
	}
	runtimeAddresses := goAddresses(&loaded[0], mappings.RuntimeAddr(step))
	addresses := make([]mappings.ELFAddr, len(runtimeAddresses))
	for i, a := range runtimeAddresses {
		addresses[i] = loaded[0].ELFAddr(a)
	}
	inlined, wrong := 0, 0
	for i, got := range New(Options{}).Resolve(module(path), addresses) {
		want := GoLines(runtimeAddresses[i])
		inlined += len(want) - 1
		if !sameGoLines(got.Lines, want) {
			if wrong++; wrong < 5 {
				t.Errorf("%#x\n got  %v\n want %v", addresses[i], got.Lines, want)
			}
		}
	}
	t.Logf("%d addresses with %d inlined calls", len(addresses), inlined)
	if len(addresses) < 1_300_000/step || inlined < 260_000/step {
		t.Error("too few to be believed")
	}
}

// sameGoLines compares lines, except a wrapper that was inlined into a wrapper, which the runtime does not report.
func sameGoLines(got, want []Line) bool {
	if want == nil {
		return got != nil
	}
	return reflect.DeepEqual(got, want)
}
