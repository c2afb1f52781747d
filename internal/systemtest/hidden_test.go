//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

//go:noinline
func allocateInCallback(size uintptr) {
	victim.CallBack(func() { victim.Free(victim.Malloc(size)) })
	victim.Delete(victim.New(size))
}

// betweenGoAndC matches the functions that no reader of a stack has written.
var betweenGoAndC = regexp.MustCompile(`^runtime\.(cgocall|asmcgocall|cgocallback|cgocallbackg|cgocallbackg1)(\.abi0)?$|` +
	`^crosscall2$|^_cgoexp_|^_cgo_[0-9a-f]+_C2?func_|^runtime\.goexit$`)

// entry is operator new and, built with -fno-optimize-sibling-calls, our hook.
var entry = regexp.MustCompile(`^_Zn[wa]|^malloc(\.cold)?$`)

// systemNames of a stack, leaf first.
func systemNames(s *profile.Sample) (names []string) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			names = append(names, line.Function.SystemName)
		}
	}
	return names
}

func stacks(samples []*profile.Sample) (all []string) {
	for _, s := range samples {
		all = append(all, strings.Join(systemNames(s), "\n"))
	}
	slices.Sort(all)
	return all
}

func TestHiddenFrames(t *testing.T) {
	p := start(t, everything)
	allocateInCallback(1000)
	tidy := profiletest.Through(take(t, p), "allocateInCallback")
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	c := everything
	c.HiddenFrames = true
	p = start(t, c)
	allocateInCallback(1000)
	whole := profiletest.Through(take(t, p), "allocateInCallback")

	t.Run("a stack is what the source says: Go, C, Go, C", func(t *testing.T) {
		const here = module + "/internal/systemtest"
		want := []string{"C.victim_malloc", module + "/internal/victim.Malloc", here + ".allocateInCallback.func1",
			module + "/internal/victim.victimRunGo", "victimRunGo", "C.victim_call_go", module + "/internal/victim.CallBack",
			here + ".allocateInCallback", here + ".TestHiddenFrames"}
		if !slices.ContainsFunc(tidy, func(s *profile.Sample) bool {
			names := slices.DeleteFunc(profiletest.Functions(s), func(name string) bool { // C's, of which go test strips the names
				return strings.HasPrefix(name, "victim_") || strings.HasPrefix(name, "systemtest.test+0x")
			})
			return len(names) > len(want) && slices.Equal(names[:len(want)], want)
		}) {
			t.Errorf("no stack is %q", want)
			for _, s := range tidy {
				t.Logf("%q", profiletest.Functions(s))
			}
		}
	})

	t.Run("it is the whole stack without frames between Go and C, and without the allocator at its leaf", func(t *testing.T) {
		var want []string
		for _, s := range whole {
			names := slices.DeleteFunc(systemNames(s), betweenGoAndC.MatchString)
			for len(names) > 0 && entry.MatchString(names[0]) {
				names = names[1:]
			}
			want = append(want, strings.Join(names, "\n"))
		}
		slices.Sort(want)
		if got := stacks(tidy); !slices.Equal(got, want) || slices.Equal(got, stacks(whole)) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})

	t.Run("no hook of ours is in a stack", func(t *testing.T) {
		for _, s := range tidy {
			for _, l := range s.Location {
				for _, line := range l.Line {
					if strings.Contains(line.Function.Filename, "/cgo/hooks") {
						t.Errorf("%q", profiletest.Functions(s))
					}
				}
			}
		}
	})
}
