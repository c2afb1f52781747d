package symbolize

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// linesOf makes lines of system names, innermost first.
func linesOf(names ...string) (lines []Line) {
	for i, name := range names {
		lines = append(lines, Line{Function: name, SystemName: name, Line: i + 1})
	}
	return lines
}

func functions(lines []Line) (names []string) {
	for _, line := range lines {
		names = append(names, line.Function)
	}
	return names
}

const allHidden = -1

func TestALocationIsSeenAsThePartOfTheProgramThatItIs(t *testing.T) {
	for _, c := range []struct {
		names   []string
		want    []string
		entries int
	}{
		{[]string{"main.main"}, []string{"main.main"}, 0},
		{[]string{"draw"}, []string{"draw"}, 0},
		{nil, nil, 0},
		{[]string{"runtime.goexit"}, []string{"runtime.goexit"}, allHidden},
		{[]string{"runtime.cgocall"}, []string{"runtime.cgocall"}, allHidden},
		{[]string{"runtime.asmcgocall.abi0"}, []string{"runtime.asmcgocall.abi0"}, allHidden},
		{[]string{"runtime.cgocallback.abi0"}, []string{"runtime.cgocallback.abi0"}, allHidden},
		{[]string{"crosscall2"}, []string{"crosscall2"}, allHidden},
		{[]string{"_cgoexp_6f3e0123abcd_each"}, []string{"_cgoexp_6f3e0123abcd_each"}, allHidden},
		{[]string{"_cgo_6f3e0123abcd_Cfunc_draw"}, []string{"_cgo_6f3e0123abcd_Cfunc_draw"}, allHidden},
		{[]string{"_cgo_6f3e0123abcd_C2func_draw.cold"}, []string{"_cgo_6f3e0123abcd_C2func_draw.cold"}, allHidden},
		{[]string{"_cgo_wait_runtime_init_done"}, []string{"_cgo_wait_runtime_init_done"}, 0},
		{[]string{"_cgo_Cfunc"}, []string{"_cgo_Cfunc"}, 0},
		{[]string{"draw", "_cgo_6f3e_Cfunc_draw"}, []string{"draw"}, 0},
		{[]string{"main._Cfunc_draw"}, []string{"C.draw"}, 0},
		{[]string{"gopkg.in/db%2ev3._Cfunc_db_step"}, []string{"C.db_step"}, 0},
		{[]string{"a.b/c._C2func_open", "a.b/c.Open"}, []string{"C.open", "a.b/c.Open"}, 0},
		{[]string{"main._Cfunc_CString"}, []string{"C.CString"}, 0},
		{[]string{"main._Cfunc__CMalloc"}, []string{"C.malloc"}, 0},
		{[]string{"main._cgo_cmalloc"}, []string{"main._cgo_cmalloc"}, allHidden},
		{[]string{"a.b/c._cgo_cmalloc", "a.b/c._Cfunc_CString"}, []string{"C.CString"}, 0},
		{[]string{"main._Cfunc_draw.func1"}, []string{"main._Cfunc_draw.func1"}, 0},
		{[]string{"main.F[a.b/c._Cfunc_x]"}, []string{"main.F[a.b/c._Cfunc_x]"}, 0},
		{[]string{"malloc"}, []string{"malloc"}, 1},
		{[]string{"malloc.cold"}, []string{"malloc.cold"}, 1},
		{[]string{"_Znwm"}, []string{"_Znwm"}, 1},
		{[]string{"_ZnamRKSt9nothrow_t"}, []string{"_ZnamRKSt9nothrow_t"}, 1},
		{[]string{"__rust_alloc"}, []string{"__rust_alloc"}, 1},
		{[]string{"_Znwm", "make"}, []string{"_Znwm", "make"}, 1},
		{[]string{"malloc", "calloc", "_dl_new_object"}, []string{"malloc", "calloc", "_dl_new_object"}, 2},
		{[]string{"cgoheap_allocated", "parser_node"}, []string{"cgoheap_allocated", "parser_node"}, 1},
		{[]string{"malloc", "pool", "calloc"}, []string{"malloc", "pool", "calloc"}, 1},
		{[]string{"malloc", "calloc"}, []string{"malloc", "calloc"}, 2},
		{[]string{"malloc", "_cgo_6f3e_Cfunc_malloc"}, []string{"malloc"}, 1},
		{[]string{"strdup"}, []string{"strdup"}, 0},
	} {
		got := New(Options{}).Tidy(linesOf(c.names...))
		if diff := cmp.Diff(c.want, functions(got.Lines)); diff != "" {
			t.Errorf("%q:\n%s", c.names, diff)
		}
		if whole := c.entries == allHidden; got.Hidden != whole || !whole && got.Entries != c.entries {
			t.Errorf("%q: %d entries, hidden: %t; want %d", c.names, got.Entries, got.Hidden, c.entries)
		}
		if len(c.names) == 1 && got.Lines[0].SystemName != c.names[0] {
			t.Errorf("%q: the linker's name is %q", c.names, got.Lines[0].SystemName)
		}
	}
}

func TestTidyLeavesTheLinesThatOthersShare(t *testing.T) {
	lines := linesOf("main._Cfunc_draw", "main.main")
	if New(Options{}).Tidy(lines); lines[0].Function != "main._Cfunc_draw" {
		t.Error(lines)
	}
}

func TestHiddenFramesAreShownOnDemand(t *testing.T) {
	s := New(Options{HiddenFrames: true})
	for _, name := range []string{"runtime.cgocall", "_cgo_6f_Cfunc_draw", "main._Cfunc_draw", "malloc"} {
		if got := s.Tidy(linesOf(name)); got.Hidden || got.Entries > 0 || got.Lines[0].Function != name {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if !s.Tidy(linesOf("runtime.goexit")).Hidden {
		t.Error("runtime.goexit is shown")
	}
}
