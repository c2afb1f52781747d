package holders

import (
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/suspects"
)

// places are the ranges that names are looked for in, the first one that has an address being the right one.
type places struct {
	storage sortedRanges // thread-local variables; which is a thread
	threads sortedRanges // what libc mapped for threads, and their control blocks; which is a thread
	modules sortedRanges // what the loader has made of files; which is a module
	mapped  sortedRanges // by recorded calls
	goData  sortedRanges
}

// controlBytes is how much of a control block counts, where the block does not lie at the end of its thread's stack. glibc's
// has 2304 bytes, and above it is nothing else.
const controlBytes = 4096

func (n *namer) newPlaces() (p places) {
	var storage, threads, modules, mapped, goData []place
	for i := range n.Threads {
		t := &n.Threads[i]
		for _, s := range t.Storage {
			storage = append(storage, place{s.Range, int32(i), s.Bias})
		}
		threads = append(threads, place{Range: t.Stack, which: int32(i)})
		if t.Stack.Start == t.Stack.Limit && t.Control != 0 {
			threads = append(threads, place{Range: account.Range{Start: t.Control, Limit: t.Control + controlBytes}, which: int32(i)})
		}
	}
	for i, m := range n.Modules {
		for _, r := range m.Loaded() {
			modules = append(modules, place{Range: account.Range{Start: uint64(r.Start), Limit: uint64(r.Limit)}, which: int32(i)})
		}
	}
	for i := range n.Mapped {
		mapped = append(mapped, place{Range: n.Mapped[i].Range, which: int32(i)})
	}
	for _, r := range n.GoData {
		goData = append(goData, place{Range: r})
	}
	return places{newSorted(storage), newSorted(threads), newSorted(modules), newSorted(mapped), newSorted(goData)}
}

// nameWords names all words.
func (n *namer) nameWords() {
	inFiles, inStorage := make(byFile), make(byFile)
	rest := n.words[:0:0]
	var restAt []int
	for i, w := range n.words {
		if s := n.places.storage.at(w.at); s != nil {
			inStorage.add(s.base, i)
		} else if t := n.places.threads.at(w.at); t != nil {
			n.named[i] = n.number(Holder{Name: n.inThread(&n.Threads[t.which], w.at)})
		} else if m := n.places.modules.at(w.at); m != nil {
			inFiles.add(uint64(m.which), i)
		} else {
			rest, restAt = append(rest, w), append(restAt, i)
		}
	}
	n.nameStorage(inStorage)
	n.nameData(inFiles)
	n.nameMapped(rest, restAt)
}

// inThread names an address in what libc mapped for a thread: its stack, or what lies between its variables and its end.
func (n *namer) inThread(t *account.Thread, at uint64) string {
	if t.Keys.Start <= at && at < t.Keys.Limit {
		return fmt.Sprintf("pthread key %d of %s", (at-t.Keys.Start)/account.KeyBytes, n.thread(t.Number))
	}
	lowest := t.Control
	for _, s := range t.Storage { // they lie below the control block on amd64, above it on arm64
		if t.Stack.Start <= s.Start && s.Start < t.Stack.Limit {
			lowest = min(lowest, s.Start)
		}
	}
	if at < lowest || lowest == 0 {
		return "stack of " + n.thread(t.Number)
	}
	return "thread-local storage of " + n.thread(t.Number)
}

// thread returns what a thread is called: by its name, as the kernel has it.
func (n *namer) thread(number int) string {
	if known, ok := n.threads[number]; ok {
		return known
	}
	name := "a thread"
	if number > 0 {
		text, err := descriptor.ReadFile(n.tasks.File(number, "comm"))
		if comm := clean(strings.TrimSuffix(string(text), "\n")); err == nil && comm != "" {
			name = "thread " + comm
		}
	}
	n.threads[number] = name
	return name
}

// nameMapped names words in memory of no file, by the list of the kernel and by who mapped it.
func (n *namer) nameMapped(words []word, at []int) {
	addresses := make([]uint64, len(words))
	for i, w := range words {
		addresses[i] = w.at
	}
	areas, _ := account.AreasAt(n.Kernel.Path("maps"), addresses)
	mappers := n.mappers(words)
	for i, w := range words {
		for len(areas) > 0 && areas[0].Limit <= w.at {
			areas = areas[1:]
		}
		area := account.NamedArea{}
		if len(areas) > 0 && areas[0].Start <= w.at {
			area = areas[0]
		}
		h := Holder{Name: n.inArea(&area, w, mappers)}
		if h.Name == suspects.Unknown {
			h.Detail = fmt.Sprintf("anonymous mapping of %d KiB", (area.Limit-area.Start)>>10)
		}
		n.named[at[i]] = n.number(h)
	}
}

// ofRuntime names what Go's runtime has mapped, and is not known to be its heap.
func (n *namer) ofRuntime() string {
	if n.InGoHeap == nil {
		return "Go's heap, or other memory of its runtime"
	}
	return "memory of Go's runtime"
}

const (
	zeroFile  = "/dev/zero (deleted)" // what the kernel calls shared anonymous memory
	mainStack = "[stack]"
)

// inArea names a word in a mapping.
func (n *namer) inArea(a *account.NamedArea, w word, mappers map[int32]string) string {
	path := strings.TrimSuffix(a.Name, " (deleted)")
	switch {
	case a.Limit == 0:
		return "memory that is mapped no more"
	case a.Name == mainStack:
		return "stack of " + n.thread(os.Getpid())
	case strings.HasPrefix(path, "/") && a.Name != zeroFile:
		return "mapping " + clean(path)
	case w.root == Stack:
		return "stack of a thread"
	case n.InGoHeap != nil && n.InGoHeap(w.at):
		return inGoHeap
	}
	if m := n.places.mapped.at(w.at); m != nil && n.Mapped[m.which].Fits(a.Shared, a.Inode) {
		switch name := mappers[m.which]; {
		case name != "":
			return "memory mapped by " + name
		case n.Mapped[m.which].Kind == account.Go:
			return n.ofRuntime()
		case n.Mapped[m.which].Kind == account.Allocator:
			return "malloc's memory, or a block that was not recorded"
		}
	}
	switch {
	case strings.HasPrefix(path, "["):
		return "mapping " + clean(path)
	case w.root == Storage:
		return "thread-local storage"
	case a.Shared:
		return "shared memory"
	}
	return suspects.Unknown
}

// longest bounds the parts of names that the program chooses, in bytes.
const longest = 200

// clean makes a name of the program fit to be shown: of one line, and not too long.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
	if len(name) <= longest {
		return name
	}
	cut := longest
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + "…"
}
