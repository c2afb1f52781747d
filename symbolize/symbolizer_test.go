package symbolize

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

func reasonFor(m *mappings.Module) Reason {
	return New(Options{}).Resolve(m, []mappings.ELFAddr{0x1100})[0].Reason
}

func TestAnAddressOutsideAllModulesHasThatReason(t *testing.T) {
	if got := reasonFor(nil); got != NoModule {
		t.Error(got)
	}
}

func TestAFileThatCannotBeOpenedGivesTheReason(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("not an ELF file\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		module mappings.Module
		want   Reason
	}{
		{mappings.Module{Path: text + " that is not there", Inode: 1}, FileGone},
		{mappings.Module{Path: text + " that is not there", Inode: 1, Deleted: true}, FileGone},
		{mappings.Module{Path: text + "/in a file", Inode: 1}, unreadable},
		{mappings.Module{Path: t.TempDir(), Inode: 1}, NotELF},
		{mappings.Module{Path: text, Inode: 1}, NotELF},
		{*mappings.Of("/proc/self").Unloaded(text, "", 0, mappings.Range{Start: 0x1000, Limit: 0x2000}), unrecognised},
	} {
		if got := reasonFor(&c.module); got != c.want {
			t.Errorf("%s: %v, want %v", c.module.Path, got, c.want)
		}
	}
}

func TestAStrippedProgramGivesTheReason(t *testing.T) {
	for _, flags := range []string{"-static -O2", "-O2", "-O2 -rdynamic"} {
		t.Run(flags, func(t *testing.T) { countStripped(t, compile(t, "gcc", "calls.c", strings.Fields(flags)...)) })
	}
}

func countStripped(t *testing.T, program string) {
	all := everyByte(t, program)
	addresses := every(len(all)/500+1, all)
	if output, err := exec.Command("strip", program).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, output)
	}
	s := New(Options{})
	var missing MissingCounts
	for i, result := range s.Resolve(module(program), addresses) {
		missing.Add(result)
		if result.Reason != Stripped && result.Reason != named || (result.Lines == nil) != (result.Reason == Stripped) {
			t.Fatalf("%#x: %v", uint64(addresses[i]), result)
		}
	}
	s.Note(MissingCounts{Unnamed: [reasons]uint64{NoModule: 1}})
	s.Note(missing)
	losses := s.Losses()
	if len(losses) != 1 || losses[0].Count < uint64(len(addresses)/3) || losses[0].Name != "stripped" {
		t.Error(losses)
	}
	if s.reset(); s.Losses() != nil {
		t.Error("counts after Reset")
	}
}

func TestResultsComeInTheOrderOfTheirAddressesAndAreRemembered(t *testing.T) {
	program := compile(t, "gcc", "calls.c", "-g", "-O2")
	addresses := everyByte(t, program)
	s := New(Options{})
	ascending := s.Resolve(module(program), addresses)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	var shuffled []mappings.ELFAddr
	for i := range addresses {
		shuffled = append(shuffled, addresses[(i*7919)%len(addresses)], addresses[i])
	}
	for i, result := range s.Resolve(module(program), shuffled) {
		at := i / 2
		if i%2 == 0 {
			at = at * 7919 % len(addresses)
		}
		if !reflect.DeepEqual(result, ascending[at]) {
			t.Fatalf("%#x: %v, first %v", uint64(shuffled[i]), result, ascending[at])
		}
	}
}

func TestSeveralGoroutinesMayResolveAtOnce(t *testing.T) {
	program := compile(t, "gcc", "calls.c", "-g", "-O2")
	addresses := everyByte(t, program)
	want := New(Options{}).Resolve(module(program), addresses)
	s := New(Options{})
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			if got := s.Resolve(module(program), addresses); !reflect.DeepEqual(got, want) {
				t.Error("different results")
			}
		}()
	}
	group.Wait()
}

func TestEachReasonHasANameAndASentence(t *testing.T) {
	for r := range reasons {
		if r.String() == "" || !strings.HasSuffix(r.Sentence(), ".") {
			t.Errorf("reason %d: %q, %q", r, r, r.Sentence())
		}
	}
}

// reset forgets all names and counts.
func (s *Symbolizer) reset() {
	s.Note(MissingCounts{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	s.seen = jitSeen{}
}
