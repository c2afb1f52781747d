package symbolize

import (
	"os"
	"reflect"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// recordCallers is inlined nowhere, its callers are inlined into one another.
//
//go:noinline
func recordCallers(pcs []uintptr) int { return runtime.Callers(1, pcs) }

func innermost(pcs []uintptr) int { return recordCallers(pcs) }

func middle(pcs []uintptr) int { return innermost(pcs) }

//go:noinline
func outermost(pcs []uintptr) int { return middle(pcs) }

// physicalCallers walks the same stack without knowing of inlined calls, as a frame-pointer walk does: of the logical
// return addresses it keeps the innermost of each function that exists in machine code.
func physicalCallers(pcs []uintptr) []uintptr {
	var physical []uintptr
	for i := 0; i < len(pcs); {
		physical = append(physical, pcs[i])
		i += max(1, len(expandFinalInlineFrame([]uintptr{pcs[i]})))
	}
	return physical
}

func TestGoCodeIsNamedWithItsInlinedCallers(t *testing.T) {
	logical := make([]uintptr, 64)
	logical = logical[:outermost(logical)]
	var want []Line
	for frames := runtime.CallersFrames(logical); ; {
		frame, more := frames.Next()
		want = append(want, Templates.goLine(&frame))
		if !more {
			break
		}
	}
	physical := physicalCallers(logical)
	if len(physical) >= len(logical) {
		t.Fatal("the compiler inlined nothing")
	}
	var got []Line
	for _, pc := range physical {
		got = append(got, GoLines(mappings.RuntimeAddr(pc-1))...)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got[1].StartLine == 0 || got[1].Line < got[1].StartLine {
		t.Errorf("%v does not begin before its line", got[1])
	}
}

func TestAnAddressOutsideGoCodeHasNoGoLines(t *testing.T) {
	if lines := GoLines(1); lines != nil {
		t.Error(lines)
	}
}

func TestGoCodeOfTheRunningExecutableIsNamedThroughItsModule(t *testing.T) {
	loaded, err := mappings.Self()
	if err != nil {
		t.Skip("there is no list of loaded files here: ", err)
	}
	pc := reflect.ValueOf(outermost).Pointer()
	m := &mappings.Module{Path: "no such file", Bias: 0x1000, Ranges: loaded[0].Ranges}
	results := New(Options{}).Resolve(m, []mappings.ELFAddr{m.ELFAddr(mappings.RuntimeAddr(pc))})
	if !reflect.DeepEqual(results[0].Lines, GoLines(mappings.RuntimeAddr(pc))) || len(results[0].Lines) == 0 {
		t.Error(results[0])
	}
}

//go:noinline
func generic[T any](pcs []uintptr) int { return runtime.Callers(1, pcs) }

func TestGenericGoFunctionHasItsTypeArgumentsUnlessTheStyleIsShort(t *testing.T) {
	pcs := make([]uintptr, 1)
	generic[int](pcs)
	const generic = "github.com/cgoheap/cgoheap/symbolize.generic"
	for style, want := range map[Style]string{
		Templates: generic + "[go.shape.int]", Full: generic + "[go.shape.int]", Mangled: generic + "[go.shape.int]", Short: generic + "[...]",
	} {
		got := style.goLines(mappings.RuntimeAddr(pcs[0] - 1))[0]
		if got.Function != want || got.SystemName != generic+"[go.shape.int]" {
			t.Errorf("style %d: %v, want %s", style, got, want)
		}
	}
}

func TestStyleOfGoNamesIsTheSameForAFileAndForTheRunningProgram(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := mappings.Self()
	if err != nil {
		t.Skip("there is no list of loaded files here: ", err)
	}
	pcs := make([]uintptr, 1)
	generic[int](pcs)
	address := []mappings.ELFAddr{loaded[0].ELFAddr(mappings.RuntimeAddr(pcs[0] - 1))}
	for _, style := range []Style{Templates, Short} {
		names := New(Options{Style: style})
		file, program := names.Resolve(module(path), address), names.Resolve(&loaded[0], address)
		if !reflect.DeepEqual(file, program) || len(file[0].Lines) == 0 {
			t.Errorf("style %d: %v in the file, %v in the program", style, file, program)
		}
	}
}
