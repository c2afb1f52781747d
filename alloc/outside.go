//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"path"
	"runtime"
	"runtime/metrics"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Outside returns what is resident outside malloc's heap, and what Go's own has in use. It fails if the pages cannot be looked up, and
// with errStopped after Stop.
func (r *Recording) Outside(k usage.Kernel) (list []suspects.Thing, err error) {
	r.look()
	var memory scratch.Memory
	defer memory.Free()
	stacks := libcStacks() // it may wait
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.whole(); err != nil {
		return nil, err
	}
	holding := r.newHolding(&memory)
	read := r.reader(&memory)
	read.Blocks(func(b tables.Block) {
		if !b.Lost && !b.Reported {
			holding.See(b.Address, read.SizeOf(&b))
		}
	})
	segments := cgo.Segments()
	survey, mapped := r.survey(k, &account.Sources{Tables: r.tables, Segments: rangesOf(segments), Stacks: stacks, Outside: true}, holding, &memory)
	found, err := survey.Outside()
	if err != nil {
		return nil, err
	}
	list = append(r.librariesThings(segments, found.Written), filesThings(found.Files)...)
	list = append(list, mappedThings(mapped)...)
	threads, _ := k.Threads()
	list = append(list, suspects.Thing{Kind: suspects.Stacks, Bytes: found.Stacks, Count: int(threads)},
		suspects.Thing{Kind: suspects.Ended, Bytes: found.Ended, Count: endedOf(stacks)})
	return append(list, goThings()...), r.whole()
}

func endedOf(stacks []account.Stack) (count int) {
	for i := range stacks {
		if stacks[i].Thread == 0 {
			count++
		}
	}
	return count
}

// goThings are what Go's runtime counts. Of its heap, what was in use after the last collection: what is there now has garbage.
func goThings() []suspects.Thing {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	_, _, stacks, _ := account.GoMemory()
	list := []suspects.Thing{{Kind: suspects.GoStacks, Bytes: stacks, Count: runtime.NumGoroutine()}}
	if live[0].Value.Kind() == metrics.KindUint64 {
		list = append(list, suspects.Thing{Kind: suspects.GoHeap, Bytes: int64(live[0].Value.Uint64())})
	}
	return list
}

// mappedThings are what recorded calls have mapped, by their stacks. Pages of files are counted by file.
func mappedThings(mapped []resided) (list []suspects.Thing) {
	at := make(map[uint64]int)
	for _, some := range mapped {
		for i := range some.list {
			m, bytes := &some.list[i], some.found[i].Anonymous.Resident+some.found[i].Shared.Resident
			if m.Call == 0 || m.ID == 0 || bytes == 0 {
				continue
			}
			n, known := at[m.ID]
			if !known {
				n = len(list)
				at[m.ID] = n
				list = append(list, suspects.Thing{Kind: suspects.Mapped, Stack: m.ID})
			}
			list[n].Bytes, list[n].Count = list[n].Bytes+bytes, list[n].Count+1
		}
	}
	return list
}

func filesThings(files map[string]*account.File) (list []suspects.Thing) {
	for name, f := range files {
		for kind, bytes := range map[suspects.Kind]int64{suspects.File: f.Pages, suspects.Copies: f.Copies, suspects.Shared: f.Shared} {
			if bytes > 0 {
				list = append(list, suspects.Thing{Kind: kind, Name: name, Bytes: bytes, Count: f.Mappings})
			}
		}
	}
	return suspects.Folders(list)
}

// libraryFiles is what is known of a library, which may be loaded from several files.
type libraryFiles struct {
	written int64
	starts  map[string]map[uint64]int // by file, then by offset of code in it: how often that code is loaded
}

// librariesThings are what was written to of libraries' variables. Files with the same build ID, such as copies that were made to be loaded
// once more, are one library; without build IDs, those of one name.
func (r *Recording) librariesThings(segments []cgo.Segment, written []int64) (list []suspects.Thing) {
	ids := r.buildIDs(segments)
	libraries := make(map[string]*libraryFiles)
	for i := range segments {
		s := &segments[i]
		id := cmp.Or(ids[s.Path], path.Base(s.Path))
		l := libraries[id]
		if l == nil {
			l = &libraryFiles{starts: make(map[string]map[uint64]int)}
			libraries[id] = l
		}
		if l.written += written[i]; l.starts[s.Path] == nil {
			l.starts[s.Path] = make(map[uint64]int)
		}
		if s.Executable {
			l.starts[s.Path][s.Offset]++
		}
	}
	for id, l := range libraries {
		t := suspects.Thing{Kind: suspects.Library, ID: id, Bytes: l.written, Files: len(l.starts)}
		for p, starts := range l.starts {
			most := 0
			for _, n := range starts {
				most = max(most, n)
			}
			if t.Count += most; t.Name == "" || path.Base(p) < t.Name {
				t.Name = path.Base(p)
			}
		}
		list = append(list, t)
	}
	return list
}

// buildIDs returns the build IDs of files, by the loader's path.
func (r *Recording) buildIDs(segments []cgo.Segment) map[string]string {
	type code struct {
		mappings.Range
		id string
	}
	var all []code
	for _, m := range r.loaded.current {
		for _, c := range m.Ranges {
			all = append(all, code{c, m.BuildID})
		}
	}
	slices.SortFunc(all, func(a, b code) int { return cmp.Compare(a.Start, b.Start) })
	ids := make(map[string]string)
	for i := range segments {
		s := &segments[i]
		if at, found := slices.BinarySearchFunc(all, mappings.RuntimeAddr(s.Limit), func(c code, limit mappings.RuntimeAddr) int {
			switch {
			case c.Limit < limit:
				return -1
			case c.Start >= limit:
				return 1
			}
			return 0
		}); found && s.Executable && all[at].id != "" {
			ids[s.Path] = all[at].id
		}
	}
	return ids
}

// MappedStacks returns the stacks of calls that map memory, by their numbers, with modules as in a snapshot.
func (r *Recording) MappedStacks(numbers []uint64) [][]stack.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	frames, list := make([][]stack.Frame, len(numbers)), make([]Mapping, len(numbers))
	if r.whole() != nil || len(numbers) == 0 {
		return frames
	}
	for i, n := range numbers {
		list[i].ID = n
	}
	r.addFrames(list)
	for i := range list {
		frames[i] = list[i].Frames
	}
	return frames
}
