//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// growing grows outside malloc's heap, in one process in all ways, a step at a time.
type growing struct {
	t       *testing.T
	folder  string
	library []byte // the file
	file    []byte // mapped, and read up to
	read    int
	steps   int
	threads sync.WaitGroup
	end     chan struct{}
	ended   [][]byte
}

const (
	perStep     = 2 << 20 // bytes that are mapped, or read of a file
	libraryData = 1 << 20
	manySteps   = 200
	stepThreads = 16
	stepMinutes = 4
)

func grow(t *testing.T) *growing {
	t.Helper()
	g := &growing{t: t, folder: t.TempDir(), end: make(chan struct{})}
	source, built, data := filepath.Join(g.folder, "grow.c"), filepath.Join(g.folder, "libgrow.so"), filepath.Join(g.folder, "data.bin")
	text := fmt.Sprintf("#include <string.h>\nstatic char data[%d] = {1};\nvoid *touch(unsigned long n) { memset(data, 2, sizeof data); return data + n; }\n", libraryData)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	toolchain.Target(t).Build(t, "gcc", "-O2", "-fPIC", "-shared", "-Wl,--build-id", "-o", built, source)
	var err error
	if g.library, err = os.ReadFile(built); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(data)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range manySteps {
		if _, err := f.Write(make([]byte, perStep)); err != nil {
			t.Fatal(err)
		}
	}
	if g.file, err = unix.Mmap(int(f.Fd()), 0, manySteps*perStep, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	if err := unix.Madvise(g.file, unix.MADV_RANDOM); err != nil { // nothing is mapped ahead
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(g.end)
		g.threads.Wait()
		for _, b := range g.ended {
			if err := victim.Unmap(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b))); err != nil {
				t.Error(err)
			}
		}
		if err := unix.Munmap(g.file); err != nil {
			t.Error(err)
		}
	})
	return g
}

//go:noinline
func (g *growing) mapMore() {
	b := unsafe.Slice((*byte)(victim.Map(nil, perStep, false)), perStep)
	for i := range b {
		b[i] = 1
	}
	g.ended = append(g.ended, b)
}

func (g *growing) step() {
	g.steps++
	g.mapMore()
	for limit := g.read + perStep; g.read < limit; g.read += os.Getpagesize() {
		if g.file[g.read] != 0 {
			g.t.Fatal("the file is not read")
		}
	}
	path := filepath.Join(g.folder, fmt.Sprintf("copy%d.so", g.steps))
	if err := os.WriteFile(path, g.library, 0o700); err != nil {
		g.t.Fatal(err)
	}
	plugin, err := victim.OpenPlugin(path)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(plugin.Close)
	plugin.Call("touch", 0)
	var begun sync.WaitGroup
	begun.Add(stepThreads)
	for range stepThreads {
		g.threads.Go(func() {
			if err := victim.OnThread(func() { begun.Done(); <-g.end }); err != nil {
				g.t.Error(err)
				begun.Done()
			}
		})
	}
	for range 100 * stepThreads {
		g.threads.Go(func() { <-g.end })
	}
	begun.Wait()
}

// simulateMoments has moments taken when the function that it returns is called, each some minutes after the one before.
func simulateMoments(t *testing.T) (next func(p *Profiler)) {
	t.Helper()
	var minutes, taken atomic.Int64
	begin := time.Date(2026, 11, 24, 10, 2, 0, 0, time.UTC)
	momentNow = func() time.Time {
		taken.Add(1)
		return begin.Add(time.Duration(minutes.Load()) * time.Minute)
	}
	t.Cleanup(func() { momentNow = time.Now })
	return func(p *Profiler) {
		minutes.Add(stepMinutes)
		before := taken.Load()
		p.suspects.Look()
		eventually(t, "a moment is taken", func() bool { return taken.Load() > before })
	}
}

func TestWhatGrowsOutsideMallocIsSuspected(t *testing.T) {
	if !profiletest.Afresh(t) { // the threads' stacks, and what other tests have left
		return
	}
	next := simulateMoments(t)
	p := profiletest.Record(t, Start, Config{Suspects: true})
	g := grow(t)
	wanted := map[string][]string{
		"mapped":        {"memory mapped by ", " MiB resident in ", " mappings, steadily for "},
		"file":          {"/data.bin, mapped: grows ", " MiB resident, steadily for ", ": the kernel can drop a file's pages, unless the file lies in memory, as in a tmpfs"},
		"library":       {"written data of copy1.so: grows ", " MiB resident, steadily for ", ": it is loaded ", " times, from "},
		"thread stacks": {"stacks of ", " threads: grows ", " resident, steadily for "},
		"go stacks":     {"Go's stacks, of ", " goroutines: grows ", " set aside, steadily for "},
	}
	found := make(map[string]Suspect)
	for len(found) < len(wanted) {
		if g.steps == manySteps {
			list, err := p.Suspects()
			t.Fatal(len(found), "are found in", list, err)
		}
		g.step()
		next(p)
		list, err := p.Suspects()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if parts := wanted[s.Kind]; parts != nil && !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(s.Sentence, part) }) {
				found[s.Kind] = s
			}
		}
	}
	leastGrowth := float64(stepThreads * os.Getpagesize() / stepMinutes) // a page of each thread's stack
	for kind, s := range found {
		t.Log(s.Sentence)
		class := "grows"
		if kind == "file" {
			class = "unsure"
		}
		if s.Class != class || s.Growth < leastGrowth || s.BytesError != 0 || s.AgeSeconds != 0 || s.Function == "" || s.Stack == nil || len(s.Series) != s.Moments {
			t.Errorf("%+v", s)
		}
		if (len(s.Stack) > 0) != (kind == "mapped") || kind == "mapped" && indexOf([]Suspect{s}, "mapMore") < 0 {
			t.Errorf("%s: its stack is %q", kind, s.Stack)
		}
	}
	if s := found["library"]; s.Bytes < int64(6*libraryData) || s.Bytes > int64(g.steps+1)*(libraryData+64<<10) {
		t.Errorf("%d bytes are written of %d libraries", s.Bytes, g.steps)
	}
	if text := p.aboutSuspects(); !strings.Contains(text, "Go's stacks, of ") {
		t.Errorf("a log lacks what grows most: %s", text)
	}
}

func TestThatWhatIsOutsideMallocIsNotKnownIsSaid(t *testing.T) {
	before := running
	running = usage.Kernel{Proc: t.TempDir()}
	t.Cleanup(func() { running = before })
	p := profiletest.Record(t, Start, Config{Suspects: true})
	eventually(t, "a moment failed", func() bool { return p.suspects.Outside() != nil })
	if text := askPage(p, http.MethodGet, "/debug/cgoheap/suspects", "").Body.String(); !strings.Contains(text, "what grows outside malloc's heap is not known: ") {
		t.Error(text)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.outside(); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
