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

func TestALocationIsSeenAsThePartOfTheProgramThatItIs(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  []string
		part  Part
	}{
		{[]string{"main.main"}, []string{"main.main"}, Code},
		{[]string{"draw"}, []string{"draw"}, Code},
		{nil, nil, Code},
		{[]string{"runtime.goexit"}, []string{"runtime.goexit"}, Glue},
		{[]string{"runtime.cgocall"}, []string{"runtime.cgocall"}, Glue},
		{[]string{"runtime.asmcgocall.abi0"}, []string{"runtime.asmcgocall.abi0"}, Glue},
		{[]string{"runtime.cgocallback.abi0"}, []string{"runtime.cgocallback.abi0"}, Glue},
		{[]string{"crosscall2"}, []string{"crosscall2"}, Glue},
		{[]string{"_cgoexp_6f3e0123abcd_each"}, []string{"_cgoexp_6f3e0123abcd_each"}, Glue},
		{[]string{"_cgo_6f3e0123abcd_Cfunc_draw"}, []string{"_cgo_6f3e0123abcd_Cfunc_draw"}, Glue},
		{[]string{"_cgo_6f3e0123abcd_C2func_draw.cold"}, []string{"_cgo_6f3e0123abcd_C2func_draw.cold"}, Glue},
		{[]string{"_cgo_wait_runtime_init_done"}, []string{"_cgo_wait_runtime_init_done"}, Code},
		{[]string{"_cgo_Cfunc"}, []string{"_cgo_Cfunc"}, Code},
		{[]string{"draw", "_cgo_6f3e_Cfunc_draw"}, []string{"draw"}, Code},
		{[]string{"main._Cfunc_draw"}, []string{"C.draw"}, Code},
		{[]string{"gopkg.in/db%2ev3._Cfunc_db_step"}, []string{"C.db_step"}, Code},
		{[]string{"a.b/c._C2func_open", "a.b/c.Open"}, []string{"C.open", "a.b/c.Open"}, Code},
		{[]string{"main._Cfunc_CString"}, []string{"C.CString"}, Code},
		{[]string{"main._Cfunc__CMalloc"}, []string{"C.malloc"}, Code},
		{[]string{"main._cgo_cmalloc"}, []string{"main._cgo_cmalloc"}, Glue},
		{[]string{"a.b/c._cgo_cmalloc", "a.b/c._Cfunc_CString"}, []string{"C.CString"}, Code},
		{[]string{"main._Cfunc_draw.func1"}, []string{"main._Cfunc_draw.func1"}, Code},
		{[]string{"main.F[a.b/c._Cfunc_x]"}, []string{"main.F[a.b/c._Cfunc_x]"}, Code},
		{[]string{"malloc"}, []string{"malloc"}, Entry},
		{[]string{"malloc.cold"}, []string{"malloc.cold"}, Entry},
		{[]string{"_Znwm"}, []string{"_Znwm"}, Entry},
		{[]string{"_ZnamRKSt9nothrow_t"}, []string{"_ZnamRKSt9nothrow_t"}, Entry},
		{[]string{"__rust_alloc"}, []string{"__rust_alloc"}, Entry},
		{[]string{"_Znwm", "make"}, []string{"_Znwm", "make"}, Code},
		{[]string{"strdup"}, []string{"strdup"}, Code},
	} {
		got, part := New(Options{}).Tidy(linesOf(c.names...))
		if diff := cmp.Diff(c.want, functions(got)); diff != "" || part != c.part {
			t.Errorf("%q: part %d, want %d\n%s", c.names, part, c.part, diff)
		}
		if len(c.names) == 1 && got[0].SystemName != c.names[0] {
			t.Errorf("%q: the linker's name is %q", c.names, got[0].SystemName)
		}
	}
}

func TestTidyLeavesTheLinesThatOthersShare(t *testing.T) {
	lines := linesOf("main._Cfunc_draw", "main.main")
	if New(Options{}).Tidy(lines); lines[0].Function != "main._Cfunc_draw" {
		t.Error(lines)
	}
}

func TestPlumbingIsShownOnDemand(t *testing.T) {
	s := New(Options{Plumbing: true})
	for _, name := range []string{"runtime.cgocall", "_cgo_6f_Cfunc_draw", "main._Cfunc_draw", "malloc"} {
		if got, part := s.Tidy(linesOf(name)); part != Code || got[0].Function != name {
			t.Errorf("%s: %v, part %d", name, got, part)
		}
	}
	if _, part := s.Tidy(linesOf("runtime.goexit")); part != Glue {
		t.Error("runtime.goexit is shown")
	}
}
