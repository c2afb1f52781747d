//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/symbolize"
)

// indexOf returns the index of the first whose stack has the function, -1 if there is none. Sentences may lack its name: go test
// strips the program, so the innermost frame is an address.
func indexOf(list []Suspect, function string) int {
	return slices.IndexFunc(list, func(s Suspect) bool { return strings.Contains(strings.Join(s.Stack, " "), function) })
}

// suspect waits for the first moment, and returns the one whose stack has the function.
func suspect(t *testing.T, p *Profiler, function string) Suspect {
	t.Helper()
	var found Suspect
	eventually(t, "there is something of "+function, func() bool {
		list, err := p.Suspects()
		if err != nil {
			t.Fatal(err)
		}
		i := indexOf(list, function)
		if i >= 0 {
			found = list[i]
		}
		return i >= 0
	})
	return found
}

func TestSuspectsAreWhatIsInUse(t *testing.T) {
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	if p.suspects.Running() {
		t.Error("moments are taken that nobody asked for")
	}
	block := profiletest.Cache(5 << 20)
	defer victim.Free(block)
	time.Sleep(50 * time.Millisecond) // younger blocks do not count
	got := suspect(t, p, "Cache")
	if got.Bytes != 5<<20 || got.BytesError != 0 || got.Class != "steady" || !strings.Contains(got.Sentence, "5 MiB in use") {
		t.Errorf("%+v", got)
	}

	t.Run("the page has them as text and as JSON", func(t *testing.T) {
		if w := askPage(p, http.MethodGet, "/debug/cgoheap/suspects", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), got.Sentence) {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		var list []Suspect
		if err := json.Unmarshal(askPage(p, http.MethodGet, "/debug/cgoheap/suspects?format=json", "").Body.Bytes(), &list); err != nil || len(list) == 0 {
			t.Error(list, err)
		}
		if w := askPage(p, http.MethodGet, "/debug/cgoheap/suspects?formt=json", ""); w.Code != http.StatusBadRequest {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	})

	t.Run("the text of a profile has the first of them", func(t *testing.T) {
		if text := profiletest.Ask(p.Handler(), "debug=1").Body.String(); !strings.Contains(text, "\nsuspects\n1. ") {
			t.Error(text)
		}
	})

	t.Run("a log has only what grows", func(t *testing.T) {
		if text := p.aboutSuspects(); text != "" {
			t.Error(text)
		}
	})
}

func TestWithoutSampledBlocksNobodyWaitsForAMoment(t *testing.T) {
	begin := time.Now()
	p := profiletest.Record(t, Start, Config{SampleBytes: 1 << 30, Suspects: true})
	eventually(t, "a moment was taken", func() bool { kept, _ := p.suspects.Moments(); return kept > 0 })
	if _, since := p.suspects.Moments(); since.Before(begin) || since.After(time.Now()) {
		t.Error(since)
	}
	if w := askPage(p, http.MethodGet, "/debug/cgoheap/suspects", ""); !strings.HasPrefix(w.Body.String(), "no sampled block of malloc's was in use") {
		t.Error(w.Body)
	}
	var about page.About
	if err := json.Unmarshal(askPage(p, http.MethodGet, "/debug/cgoheap/about", "").Body.Bytes(), &about); err != nil || about.Moments == 0 || about.Looked < about.Since || about.PID != os.Getpid() {
		t.Errorf("%+v %v", about, err)
	}
}

// atItsHeader calls a function when a handler has an answer, and begins to write it.
type atItsHeader struct {
	*httptest.ResponseRecorder
	call func()
}

func (a atItsHeader) Header() http.Header {
	a.call()
	return a.ResponseRecorder.Header()
}

func TestAMomentThatTheListDoesNotKnowIsNotSpokenOf(t *testing.T) {
	p := profiletest.Record(t, Start, Config{SampleBytes: 1})
	block := profiletest.Cache(5 << 20)
	defer victim.Free(block)
	answer := atItsHeader{httptest.NewRecorder(), func() {
		for kept := 0; kept == 0; kept, _ = p.suspects.Moments() {
			time.Sleep(time.Millisecond)
		}
	}}
	p.PagesHandler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/cgoheap/suspects", nil))
	if text := answer.Body.String(); !strings.HasPrefix(text, "no moment was kept yet") {
		t.Error(text)
	}
}

func TestNoneIsSaidOfTheMomentsThatThereWere(t *testing.T) {
	for kept, want := range map[int]string{0: "no moment was kept yet: ", 1: " in use at the first moment, 10:02 UTC (now 3 MiB are), ", 2: " in use at any of the 2 moments since 10:02 UTC (now 3 MiB are), "} {
		if got := aboutNone(kept, time.Date(2026, 11, 24, 10, 2, 0, 0, time.UTC), 3<<20); !strings.Contains(got, want) {
			t.Errorf("%d: %s", kept, got)
		}
	}
}

func TestASuspectIsCalledByWhoHasTheContainer(t *testing.T) {
	line := func(function, file string) symbolize.Line {
		return symbolize.Line{Function: function, File: file, Line: 7}
	}
	inner, container := line("std::__new_allocator<int>::allocate", "/usr/include/c++/12/bits/new_allocator.h"), line("std::vector<int>::reserve", "/usr/include/c++/12/bits/vector.tcc")
	own, draw, caller := line("tiles::Renderer::render", "/src/tiles.cc"), line("draw", "/src/draw.cc"), line("main.fetch", "/src/main.go")
	for _, c := range []struct {
		lines []symbolize.Line
		want  suspects.Names
	}{
		{[]symbolize.Line{inner, container, own, draw, caller}, suspects.Names{Function: own.Function, File: "tiles.cc", Line: 7, Entry: "draw", Caller: "main.fetch"}},
		{[]symbolize.Line{inner, container, caller}, suspects.Names{Function: container.Function, File: "vector.tcc", Line: 7, Caller: "main.fetch"}},
		{[]symbolize.Line{inner}, suspects.Names{Function: inner.Function, File: "new_allocator.h", Line: 7}},
		{nil, suspects.Names{Function: "unknown"}},
	} {
		if got, _ := nameOf(c.lines); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// Stacks whose names are the same are told apart by the functions in which they differ.
func TestNoTwoSuspectsReadTheSame(t *testing.T) {
	stackOf := func(functions ...string) (lines []symbolize.Line) {
		lines = []symbolize.Line{{Function: "__os_malloc", File: "/src/os.c", Line: 9}, {Function: "grow", File: "/src/pool.c", Line: 5}}
		for _, f := range functions {
			name, number, _ := strings.Cut(f, ":")
			at, _ := strconv.Atoi(number)
			lines = append(lines, symbolize.Line{Function: name, File: "/src/lib.c", Line: at})
		}
		return append(lines, symbolize.Line{Function: "open", File: "/src/lib.c", Line: 3}, symbolize.Line{Function: "main.handle", File: "/src/main.go", Line: 8})
	}
	other := stackOf("probe:1")
	other[1].Line = 6
	stacks := [][]symbolize.Line{
		stackOf("probe:1", "run:1"), stackOf("probe:1", "run:2"), stackOf("probe:1", "walk:1"), stackOf("read:1", "run:1"), stackOf("read:2", "run:1"), other, stackOf("read:2", "run:1"),
	}
	got := make([]string, len(stacks))
	for i, n := range namesOf(stacks) {
		got[i] = n.String()
	}
	const begin, end = "`grow` (pool.c:5) for ", " in open, called from main.handle"
	want := []string{
		begin + "`probe`, `run` (lib.c:1)" + end, begin + "`probe`, `run` (lib.c:2)" + end, begin + "`probe`, `walk`" + end,
		begin + "`read` (lib.c:1)" + end, begin + "`read` (lib.c:2)" + end, "`grow` (pool.c:6) in open, called from main.handle", begin + "`read` (lib.c:2)" + end,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOfAPoolItIsSaidThatItCutsItsBlocks(t *testing.T) {
	stack := []symbolize.Line{{Function: "libglib-2.0.so.0+0x728c0"}, {Function: "g_slice_alloc"}, {Function: "on_request", File: "/src/a.c"}}
	if got := namesOf([][]symbolize.Line{stack, stack[2:]}); got[0].Pool != "g_slice_alloc" || got[1].Pool != "" {
		t.Error(got)
	}
}

func TestSuspectsAfterStop(t *testing.T) {
	p := profiletest.Record(t, Start, Config{Suspects: true})
	if !p.suspects.Running() {
		t.Error("no moments are taken")
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if list, err := p.Suspects(); err == nil {
		t.Error(list)
	}
	if p.suspects.Running() {
		t.Error("moments are still taken")
	}
	if w := askPage(p, http.MethodGet, "/debug/cgoheap/suspects", ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

func TestTextHasTheErrorOfSampling(t *testing.T) {
	for interval, sampled := range map[int64]bool{1: false, 64 << 10: true} {
		p := profiletest.Record(t, Start, Config{SampleBytes: interval})
		block := profiletest.Cache(5000)
		for range 1000 {
			defer victim.Free(profiletest.Cache(5000))
		}
		victim.Free(block)
		text := profiletest.Ask(p.Handler(), "debug=1").Body.String()
		total := text[strings.Index(text, "\ntotal: "):]
		total, _, _ = strings.Cut(total[1:], "\n")
		if strings.Contains(total, " ± ") != sampled {
			t.Errorf("every %d bytes: %s", interval, total)
		}
		profile := profiletest.Read(t, p.WriteProfile)
		if profiletest.HasComment(profile, "in use in all: ", " ± ", "the error of sampling") != sampled {
			t.Errorf("every %d bytes: %q", interval, profile.Comments)
		}
		if a, err := p.Account(); err != nil || strings.Contains(a.String(), "(estimate ± ") != sampled {
			t.Errorf("every %d bytes: %v %v", interval, a, err)
		}
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}
