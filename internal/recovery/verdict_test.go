package recovery

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func line(function, file string) symbolize.Line {
	return symbolize.Line{Function: function, File: file}
}

func TestHolders(t *testing.T) {
	glue := line("main._Cfunc_cache_put", "_cgo_gotypes.go")
	for about, c := range map[string]struct {
		lines []symbolize.Line
		want  holder
	}{
		"C alone":               {[]symbolize.Line{line("grow", "a.c"), line("start_thread", "")}, holder{"grow", ""}},
		"the C that Go called":  {[]symbolize.Line{line("grow", "a.c"), line("cache_put", "a.c"), glue, line("main.handle", "main.go")}, holder{"cache_put", "main.handle"}},
		"through a library":     {[]symbolize.Line{line("prepare", "s.c"), line("sqlite.(*Conn).Prepare", "s.go"), line("main.report", "main.go")}, holder{"prepare", "main.report"}},
		"without a main":        {[]symbolize.Line{line("prepare", "s.c"), line("sqlite.(*Conn).Prepare", "s.go"), line("web.serve", "w.go")}, holder{"prepare", "sqlite.(*Conn).Prepare"}},
		"C in a Go file":        {[]symbolize.Line{line("sqlite3Malloc", "s.c"), line("_prepare_internal", "s.go"), line("main.report", "main.go")}, holder{"_prepare_internal", "main.report"}},
		"Go alone":              {[]symbolize.Line{line("bytes.Clone", "b.go"), line("main.handle", "main.go")}, holder{"bytes.Clone", "main.handle"}},
		"one function of Go":    {[]symbolize.Line{line("main.handle", "main.go")}, holder{"main.handle", ""}},
		"a callback's own call": {[]symbolize.Line{line("inner", "a.c"), glue, line("main.called", "main.go"), line("outer", "a.c"), glue, line("main.handle", "main.go")}, holder{"inner", "main.called"}},
	} {
		if got, _ := holderOf(c.lines); got != c.want {
			t.Errorf("%s: %+v, want %+v", about, got, c.want)
		}
	}
}

// An interpreter's stacks have one function that Go calls, and one that calls it.
func TestAHolderOfMostIsSplitByWhoCalls(t *testing.T) {
	var h holders
	for who, mebibytes := range map[string]int64{"main.(*engine).subscribe": 60, "main.render": 30, "sort.Sort": 6, "main.serve": 4} {
		h.add([]symbolize.Line{line("call1", "lua.c"), line("main.call.func1", "m.go"), line("main.call", "m.go"), line(who, "m.go"),
			line("main.main", "m.go")}, &stack.Sample{Values: stack.Values{InuseBytes: mebibytes << 20}})
	}
	const want = "of 100 MiB in the profile, 100 MiB (100 %) are held by call1, called from main.call.func1, " +
		"for main.(*engine).subscribe (60 MiB), main.render (30 MiB), main.main (6 MiB)"
	if got := h.sentence(flight.Unknown); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheSentenceAboutHoldersNamesTheLargest(t *testing.T) {
	var h holders
	for i, name := range []string{"a", "b", "c", "d"} {
		for range 2 {
			h.add([]symbolize.Line{line(name, "x.c")}, &stack.Sample{Values: stack.Values{InuseBytes: int64(i+1) << 20}})
		}
	}
	h.add(nil, &stack.Sample{Values: stack.Values{InuseBytes: 1}}) // counts as well
	h.add([]symbolize.Line{line("freed", "x.c")}, &stack.Sample{})
	const want = "of 20 MiB in the profile, 8 MiB (40 %) are held by d; 6 MiB (30 %) are held by c; 4 MiB (20 %) are held by b"
	if got := h.sentence(flight.Unknown); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	h.add([]symbolize.Line{line("shop+0x123", "")}, &stack.Sample{Values: stack.Values{InuseBytes: 30 << 20}})
	if got := h.sentence(flight.Unknown); !strings.HasPrefix(got, "of 50 MiB in the profile, 30 MiB (60 %) are held by shop+0x123; ") || !strings.Contains(got, "; most functions have no names here") {
		t.Error(got)
	}
	if got := (&holders{}).sentence(1 << 20); got != "nothing was in use" {
		t.Error(got)
	}
}

func TestSumsBeyondWhatWasResidentAreSaidToBe(t *testing.T) {
	var who holders
	who.add([]symbolize.Line{line("reserve", "x.c")}, &stack.Sample{Values: stack.Values{InuseBytes: 500 << 20}})
	values := map[flight.Field]int64{flight.RSS: 30 << 20, flight.GoHeap: 4 << 20, flight.Native: 500 << 20, flight.MallocFree: 1 << 20}
	h := &remote.History{Seconds: []flight.Record{*lastRecord(values)}}
	const want = "its resident memory was 30 MiB: Go 4 MiB, 500 MiB in use by malloc, 1 MiB kept free by malloc; that is more than was resident, " +
		"because memory in use counts that was never written to or was swapped out, and sampled blocks are an estimate"
	if got := memory(h); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := who.sentence(residentIn(h)), "of 500 MiB in the profile, resident or not, 500 MiB (100 %) are held by reserve"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := who.sentence(500<<20), "of 500 MiB in the profile, 500 MiB (100 %) are held by reserve"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheSentenceAboutMemory(t *testing.T) {
	values := map[flight.Field]int64{flight.RSS: 158 << 20, flight.GoHeap: 20 << 20, flight.GoStacks: 1 << 20, flight.Native: 120 << 20,
		flight.GroupUsed: 159 << 20, flight.GroupLimit: 160 << 20}
	h := &remote.History{}
	for second := range 100 {
		r := lastRecord(values)
		r.Time = end.Add(time.Duration(second-99) * time.Second)
		r.Values[flight.RSS] -= int64(99-second) << 20
		h.Seconds = append(h.Seconds, *r)
	}
	const want = "its resident memory was 158 MiB (the control group used 159 MiB of its limit of 160 MiB): Go 21 MiB, 120 MiB in use by malloc, 17 MiB other (files, stacks, headers of malloc and what it keeps free, mapped memory); " +
		"it grew by 99 MiB in the last 1m39s"
	if got := memory(h); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	h.Seconds[0].Values[flight.RSS] = 200 << 20
	if got := memory(h); !strings.HasSuffix(got, "; it shrank by 42 MiB in the last 1m39s") {
		t.Error(got)
	}
	if got := memory(&remote.History{Seconds: h.Seconds[95:]}); strings.Contains(got, "grew") {
		t.Errorf("four seconds tell of no growth: %q", got)
	}
	for second := range 1701 { // half an hour with the others: only the last ten minutes count
		r := lastRecord(values)
		r.Time = end.Add(time.Duration(second-1800) * time.Second)
		r.Values[flight.RSS] -= int64(1800-second) << 16
		h.Seconds = slices.Insert(h.Seconds, second, *r)
	}
	if got := memory(h); !strings.HasSuffix(got, "; it grew by 37.5 MiB in the last 10m0s") {
		t.Error(got)
	}
	h.Seconds[len(h.Seconds)-1].Values[flight.MallocFree] = 2 << 20
	if got := memory(h); !strings.Contains(got, "2 MiB kept free by malloc, 15 MiB other (files, stacks, headers of malloc, mapped memory)") {
		t.Error(got)
	}
	h.Seconds[len(h.Seconds)-1].Values[flight.Mapped] = 3 << 20
	if got := memory(h); !strings.Contains(got, ", 3 MiB of addresses mapped directly, resident or not; it grew") {
		t.Error(got)
	}
	const unknown = "what its memory was is not known: the flight recorder noted nothing, or in the form of another version"
	if got := memory(&remote.History{}); got != unknown {
		t.Error(got)
	}
}

func TestWhenAProcessEnded(t *testing.T) {
	r := &remote.Recording{Program: "/shop", Time: end}
	h := &remote.History{Seconds: []flight.Record{*lastRecord(nil)}}
	for want, h := range map[string]*remote.History{
		"/shop, process 0 on , ended at about " + end.UTC().Format(time.RFC3339) + ", " + end.Sub(r.Started()).Round(time.Second).String() + " after its recording began: why": h,
		"/shop, process 0 on , ended at a time that is not known, after 0001-01-01T00:00:00Z: why":                                                                             {},
	} {
		if got := verdict(r, h, "why", &holders{}); len(got) != 3 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
