package suspects

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// watchThings takes moments of things, 14 s apart, and returns what is suspected after each.
func watchThings(moments int, at func(minutes float64) []Thing, see func(minutes float64, list []Verdict)) *Watch {
	var minutes float64
	w := NewWatch(Options{Outside: func() ([]Thing, error) { return at(minutes), nil }})
	for i := range moments {
		now := simStart.Add(time.Duration(i) * shortest)
		minutes = now.Sub(simStart).Minutes()
		w.outside.due = time.Time{}
		w.lookOutside(now)
		if see != nil {
			see(minutes, w.Verdicts())
		}
	}
	return w
}

func TestAThingGrowsAfterEightMinutes(t *testing.T) {
	for kind := Mapped; kind <= GoHeap; kind++ {
		once := false
		watchThings(60, func(minutes float64) []Thing {
			return []Thing{{Kind: kind, Name: "/a", Bytes: 50*mib + int64(minutes*2*mib), Count: 3}, {Kind: kind, Name: "/b", Stack: 7, Bytes: 900 * mib}}
		}, func(minutes float64, list []Verdict) {
			switch {
			case len(list) == 0 && minutes < 2:
			case len(list) != 1 || list[0].Kind() != kind || list[0].Thing.Name != "/a":
				t.Fatalf("%v after %.1f min: %+v", kind, minutes, list)
			case list[0].Class == Grows:
				once = true
				if minutes < rising.Minutes() || kind == File {
					t.Errorf("%v: it is said to grow after %.1f min", kind, minutes)
				}
			case list[0].Class != Unsure || minutes > rising.Minutes()+1 && kind != File:
				t.Errorf("%v after %.1f min: %v", kind, minutes, list[0].Class)
			}
			if len(list) == 1 && (math.Abs(list[0].Growth-2*mib) > 1 || list[0].GrowthError != 0 || list[0].Age != 0 || list[0].asks(simStart)) {
				t.Errorf("%+v", list[0])
			}
		})
		if once == (kind == File) {
			t.Errorf("%v: that it grows is said: %v", kind, once)
		}
	}
}

// What healthy services do outside malloc's heap is not suspected at any moment of an hour.
func TestHealthyThingsAreNotSuspected(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, bytes := range map[string]func(minutes float64) float64{
		"constant":           func(float64) float64 { return 100 * mib },
		"a little":           func(m float64) float64 { return 100*mib + m*10_000 },
		"a step":             func(m float64) float64 { return 100*mib + 50*mib*min(1, math.Floor(m/20)) },
		"a start":            func(m float64) float64 { return 100 * mib * (1 - math.Exp(-m/0.3)) },
		"noise":              func(float64) float64 { return 100*mib + 20*mib*r.Float64() },
		"breathing":          func(m float64) float64 { return 100*mib + 20*mib*math.Sin(m*3) },
		"gone after a while": func(m float64) float64 { return 100 * mib * max(0, 1-math.Floor(m/20)) },
		"shrinking":          func(m float64) float64 { return 100*mib - m*mib },
	} {
		watchThings(250, func(minutes float64) []Thing { return []Thing{{Kind: Mapped, Bytes: int64(bytes(minutes))}} }, func(minutes float64, list []Verdict) {
			if len(list) > 0 {
				t.Errorf("%s, after %.1f min: %+v", name, minutes, list[0])
			}
		})
	}
}

func TestSentencesOfThings(t *testing.T) {
	names := Names{Function: "arena_new", File: "arena.c", Line: 3, Caller: "main.f"}
	for _, c := range []struct {
		thing   Thing
		minutes float64
		want    string
	}{
		{Thing{Kind: Mapped, Count: 1}, 10, "memory mapped by `arena_new` (arena.c:3), called from main.f: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min"},
		{Thing{Kind: Mapped, Count: 41}, 4, "memory mapped by `arena_new` (arena.c:3), called from main.f: grows 12 MiB/min since 10:02 UTC, 293 MiB resident in 41 mappings, but not for long enough to tell"},
		{Thing{Kind: File, Name: "/x/data.mdb", Count: 1}, 10, "/x/data.mdb, mapped: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min: the kernel can drop a file's pages, unless the file lies in memory, as in a tmpfs"},
		{Thing{Kind: Copies, Name: "/x", Count: 20, Files: 17}, 10, "private copies of pages of 17 files in /x: grows 12 MiB/min since 10:02 UTC, 293 MiB resident in 20 mappings, steadily for 10 min"},
		{Thing{Kind: Shared, Name: "/dev/shm/x", Count: 1}, 10, "shared memory /dev/shm/x: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min"},
		{Thing{Kind: Library, Name: "libfoo.so", Count: 1, Files: 1}, 10, "written data of libfoo.so: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min"},
		{Thing{Kind: Library, Name: "libfoo.so", Count: 41, Files: 1}, 10, "written data of libfoo.so: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min: it is loaded 41 times"},
		{Thing{Kind: Library, Name: "libfoo.so", Count: 41, Files: 40}, 10, "written data of libfoo.so: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min: it is loaded 41 times, from 40 files"},
		{Thing{Kind: Stacks, Count: 1204}, 10, "stacks of 1204 threads: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min"},
		{Thing{Kind: Ended, Count: 1204}, 10, "stacks of 1204 threads that have ended: grows 12 MiB/min since 10:02 UTC, 293 MiB resident, steadily for 10 min: libc keeps them for new threads, or until they are joined"},
		{Thing{Kind: GoStacks, Count: 40211}, 10, "Go's stacks, of 40211 goroutines: grows 12 MiB/min since 10:02 UTC, 293 MiB set aside, steadily for 10 min"},
		{Thing{Kind: GoHeap}, 10, "Go's heap: grows 12 MiB/min since 10:02 UTC, 293 MiB in use at the last collection, steadily for 10 min: /debug/pprof/heap shows who allocated it"},
	} {
		v := Verdict{Thing: &c.thing, Trend: Trend{Since: simStart, Time: simStart.Add(time.Duration(c.minutes * float64(time.Minute))), Growth: 12 * mib, Bytes: 293 * mib}}
		if got := v.Sentence(names, func(value, _ float64) string { return fmt.Sprintf("%.0f MiB", value/mib) }); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

func TestManyFilesOfOneFolderAreOneThing(t *testing.T) {
	var list []Thing
	for i := range mostFiles + 4 {
		list = append(list, Thing{Kind: File, Name: fmt.Sprintf("/many/%d", i), Bytes: 10, Count: 2})
	}
	list = append(list, Thing{Kind: File, Name: "/few/1", Bytes: 5, Count: 1}, Thing{Kind: Copies, Name: "/many/1", Bytes: 7, Count: 1}, Thing{Kind: Library, Name: "libx.so", Bytes: 1})
	made := Folders(list)
	if len(made) != 4 || made[0].Bytes != 200 || made[0].Count != 40 || made[0].Files != 20 || made[0].Subject(Names{}) != "20 files in /many, mapped" || made[1].Name != "/few/1" {
		t.Errorf("%+v", made)
	}
	if len(Folders(list[:mostFiles])) != mostFiles {
		t.Error("few files are not told apart")
	}
}

func TestAReadingThatCostsMuchIsMadeRarely(t *testing.T) {
	readings := 0
	failure := errors.New("not readable")
	w := NewWatch(Options{Outside: func() ([]Thing, error) {
		readings++
		time.Sleep(40 * time.Millisecond)
		return []Thing{{Kind: Stacks, Bytes: 5}}, failure
	}})
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {14 * time.Second, 1}, {100 * time.Hour, 2}} { // 400 times 40 ms are 16 s
		if w.lookOutside(simStart.Add(c.after)); readings != c.want || !errors.Is(w.Outside(), failure) || len(w.outside.history.moments) != 0 {
			t.Errorf("after %v there were %d readings, with %v", c.after, readings, w.Outside())
		}
	}
	failure = nil
	if w.lookOutside(simStart.Add(200 * time.Hour)); w.Outside() != nil || len(w.outside.history.moments) != 1 || len(w.outside.things) != 1 {
		t.Error(w.Outside())
	}
	w.forget()
	if len(w.outside.history.moments) != 0 || w.outside.things != nil {
		t.Error("it is not forgotten")
	}
}

// Of things with one stack that is at several addresses, their sizes and their number are the sum.
func TestThingsAreMerged(t *testing.T) {
	w := watchThings(50, func(minutes float64) []Thing {
		return []Thing{{Kind: Mapped, Stack: 1, Bytes: int64(minutes * mib), Count: 2}, {Kind: Mapped, Stack: 2, Bytes: int64(minutes * 2 * mib), Count: 3}}
	}, nil)
	list := Merge(w.Verdicts(), func(*Verdict) string { return "one" })
	if len(list) != 1 || list[0].Thing.Count != 5 || list[0].Class != Grows || math.Abs(list[0].Growth-3*mib) > 1 {
		t.Errorf("%+v", list)
	}
	text := list[0].Sentence(Names{Function: "f"}, func(value, _ float64) string { return fmt.Sprintf("%.0f MiB", value/mib) })
	if !strings.HasPrefix(text, "memory mapped by `f`: grows 3 MiB/min since 10:02 UTC, ") || !strings.Contains(text, " resident in 5 mappings") {
		t.Error(text)
	}
}

func TestAThingThatGrowsIsToldOnce(t *testing.T) {
	var told []string
	var w *Watch
	a := NewAlarm(func() []Verdict { return w.Verdicts() }, func(news []Verdict) (calls []func()) {
		for _, v := range news {
			calls = append(calls, func() { told = append(told, v.Thing.Subject(Names{})) })
		}
		return calls
	}, nil)
	defer a.Stop()
	w = NewWatch(Options{})
	for i := range 100 {
		now := simStart.Add(time.Duration(i) * shortest)
		w.outside.add(now, []Thing{{Kind: Library, Name: "libx.so", Bytes: int64(i * mib), Count: i, Files: 1}, {Kind: File, Name: "/data", Bytes: int64(i * mib)}})
		a.look()
	}
	if len(told) != 1 || told[0] != "written data of libx.so" {
		t.Error(told)
	}
}
