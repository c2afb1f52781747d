package suspects

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"time"
)

// Kind is what grows.
type Kind int

// The kinds. All but Malloc and Device are outside malloc's heap: there, what is resident is known, but not what was freed of it.
const (
	Malloc  Kind = iota
	Mapped       // memory that recorded calls with one stack have mapped
	File         // pages of a mapped file: the kernel can drop them
	Copies       // private copies of a file's pages, which were written to
	Shared       // memory that is shared, of a name, mapped by no recorded call
	Library      // what was written to of a library's variables, in all places where it is loaded
	Stacks       // of threads
	Ended        // stacks of threads that have ended
	GoStacks
	GoHeap
	Device // blocks in memory of a device, by stack and device: judged as those of malloc
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"malloc", "mapped", "file", "file copies", "shared memory", "library", "thread stacks", "ended thread stacks", "go stacks", "go heap", "device"}[k]
}

// Thing is what is in memory outside malloc's heap at one moment, of one kind and one stack or name.
type Thing struct {
	Kind  Kind
	Stack uint64 // of Mapped, its number
	ID    string // what tells it from others of its kind, beside Stack; "" if the name does
	Name  string // of a file, a folder or a library
	Bytes int64
	Count int // mappings, files of a folder, places where a library is loaded, threads, goroutines
	Files int // of a library, from which it is loaded; of a folder
}

// outsideKeys are numbers that no stack has.
const outsideKeys = 1 << 63

func (t *Thing) key() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, t.Kind, t.Stack, cmp.Or(t.ID, t.Name))
	return h.Sum64() | outsideKeys
}

// outside keeps what is known outside malloc's heap. It has a History of its own: each thing counts as one block that is not sampled.
type outside struct {
	read    func() ([]Thing, error)
	history *History
	things  map[uint64]Thing // of the last moment, those that are kept
	due     time.Time
	failure error // of the last time
}

// outsideShare is how many times as long as a reading took there is none: a quarter of a percent of one processor. outsideLongest bounds
// that, because what took long may have waited.
const (
	outsideShare   = 400
	outsideLongest = 10 * time.Minute
)

// lookOutside reads, if it is due: with the moments of blocks, but not so often where that costs too much.
func (w *Watch) lookOutside(now time.Time) {
	o := &w.outside
	if o.read == nil || now.Before(o.due) {
		return
	}
	begin := time.Now()
	o.due = now.Add(shortest) // after a panic, too
	things, err := o.read()
	o.due = now.Add(min(outsideShare*time.Since(begin), outsideLongest))
	w.taking.Lock()
	defer w.taking.Unlock()
	if o.failure = err; err == nil {
		o.add(now, things)
	}
}

func (o *outside) add(now time.Time, things []Thing) {
	found := make(map[uint64]Thing, len(things))
	for i := range things {
		found[things[i].key()] = things[i]
	}
	o.history.Add(now, 1, func(see func(*Block)) {
		for key, t := range found {
			if t.Bytes > 0 {
				see(&Block{Stack: key, Site: key, Bytes: float64(t.Bytes), Blocks: 1})
			}
		}
	})
	for key := range found {
		if o.history.tracks[key] == nil {
			delete(found, key)
		}
	}
	o.things = found
}

// verdicts returns what grows. The rest is in the account.
func (o *outside) verdicts() (list []Verdict) {
	for _, t := range o.history.Trends(0) {
		thing, there := o.things[t.Stack]
		if !there {
			continue
		}
		v := Verdict{Trend: t, Thing: &thing}
		if v.Class = v.class(); v.Class != Steady {
			list = append(list, v)
		}
	}
	return list
}

// leastGrown is by how much a thing must have grown. Sizes outside malloc's heap have no error of sampling, so the least rise would count.
const leastGrown = 1 << 20

// outsideClass returns the class of a thing. A file's pages are never said to grow: that they are resident takes memory from nobody.
func (v *Verdict) outsideClass() Class {
	span := v.Time.Sub(v.Since)
	switch {
	case !v.climbs() || !v.steadily(leastSteady, leastStep) || v.Bytes-v.Series[0].Bytes < leastGrown:
		return Steady
	case v.Kind() == File || span < rising:
		return Unsure
	}
	return Grows
}

// Kind returns what the verdict is about.
func (v *Verdict) Kind() Kind {
	switch {
	case v.Thing != nil:
		return v.Thing.Kind
	case v.Stack&deviceKeys != 0:
		return Device
	}
	return Malloc
}

// deviceKeys are numbers of stacks with blocks in memory of devices.
const deviceKeys = 1 << 62

// OnDevice returns the number of a stack, of 32 bits, for its blocks on a device.
func OnDevice(stack uint64, device string) uint64 {
	h := fnv.New32a()
	h.Write([]byte(device))
	return deviceKeys | uint64(h.Sum32()>>2)<<32 | stack
}

// Subject returns the name of the thing, for a sentence. n names the stack that mapped it; only Mapped has one.
func (t *Thing) Subject(n Names) string {
	switch t.Kind {
	case Mapped:
		return "memory mapped by " + n.String()
	case File:
		return t.files() + ", mapped"
	case Copies:
		return "private copies of pages of " + t.files()
	case Shared:
		return "shared memory " + t.files()
	case Library:
		return "written data of " + t.Name
	case Stacks:
		return fmt.Sprintf("stacks of %d threads", t.Count)
	case Ended:
		return fmt.Sprintf("stacks of %d threads that have ended", t.Count)
	case GoStacks:
		return fmt.Sprintf("Go's stacks, of %d goroutines", t.Count)
	}
	return "Go's heap"
}

// files returns the name of a file, or how many files there are in a folder.
func (t *Thing) files() string {
	if t.Files == 0 {
		return t.Name
	}
	return fmt.Sprintf("%d files in %s", t.Files, t.Name)
}

// outsideSentence says what is known of a thing.
func (v *Verdict) outsideSentence(n Names, format func(value, half float64) string) string {
	text := fmt.Sprintf("%s: grows %s/min since %s, %s %s", v.Thing.Subject(n), format(v.Growth, 0), v.Since.UTC().Format("15:04 MST"),
		format(v.Bytes, 0), v.Thing.counted())
	if span := v.Time.Sub(v.Since); span < rising {
		text += ", but not for long enough to tell"
	} else {
		text += fmt.Sprintf(", steadily for %.0f min", span.Minutes())
	}
	return text + v.Thing.remark()
}

// counted says how the bytes of the thing are known.
func (t *Thing) counted() string {
	switch {
	case t.Kind == GoStacks:
		return "set aside"
	case t.Kind == GoHeap:
		return "in use at the last collection"
	case t.Kind != Library && t.Kind != Stacks && t.Kind != Ended && t.Count > 1:
		return fmt.Sprintf("resident in %d mappings", t.Count)
	}
	return "resident"
}

func (t *Thing) remark() string {
	switch {
	case t.Kind == File:
		return ": the kernel can drop a file's pages, unless the file lies in memory, as in a tmpfs"
	case t.Kind == Library && t.Files > 1:
		return fmt.Sprintf(": it is loaded %d times, from %d files", t.Count, t.Files)
	case t.Kind == Library && t.Count > 1:
		return fmt.Sprintf(": it is loaded %d times", t.Count)
	case t.Kind == Ended:
		return ": libc keeps them for new threads, or until they are joined"
	case t.Kind == GoHeap:
		return ": /debug/pprof/heap shows who allocated it"
	}
	return ""
}

// mostFiles is how many files of one folder are told apart.
const mostFiles = 16

// Folders replaces files of one kind by their folder where they are many: each for itself would not grow.
func Folders(list []Thing) (made []Thing) {
	type folder struct {
		kind Kind
		path string
	}
	of := func(t *Thing) folder { return folder{t.Kind, path.Dir(t.Name)} }
	files := make(map[folder]int)
	for i := range list {
		files[of(&list[i])]++
	}
	at := make(map[folder]int)
	for _, t := range list {
		f := of(&t)
		if t.Kind != File && t.Kind != Copies && t.Kind != Shared || files[f] <= mostFiles {
			made = append(made, t)
			continue
		}
		i, known := at[f]
		if !known {
			i = len(made)
			at[f] = i
			made = append(made, Thing{Kind: t.Kind, ID: f.path + "/*", Name: f.path})
		}
		made[i].Bytes, made[i].Count, made[i].Files = made[i].Bytes+t.Bytes, made[i].Count+t.Count, made[i].Files+1
	}
	return made
}
