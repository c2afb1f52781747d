package holders

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// byFile has the indexes of words by the file whose variables they are in: by its index, or for thread-local ones by its bias.
type byFile map[uint64][]int

func (f byFile) add(file uint64, index int) { f[file] = append(f[file], index) }

// largestStructure is the largest variable of which a holder's word is told. In larger ones, which are arrays and buffers, all
// words are the same thing to a reader.
const largestStructure = 256

// nameData names words in the data of files.
func (n *namer) nameData(files byFile) {
	for _, which := range slices.Sorted(maps.Keys(files)) {
		d := fileData{namer: n, module: n.Modules[which], indexes: files[which]}
		d.addresses = scratch.Slice[uint64](n.memory, len(d.indexes))
		for i, index := range d.indexes {
			d.addresses[i] = n.words[index].at - d.module.Bias
		}
		d.variables, d.of = n.Names.Variables(d.module, symbolize.Static, d.addresses)
		for i := 0; i < len(d.of); {
			if d.of[i] == 0 {
				i = d.nameUnknown(i)
			} else {
				i = d.nameVariable(i)
			}
		}
		scratch.ReleaseSlice(n.memory, d.addresses)
	}
}

// fileData are the words in a file's data.
type fileData struct {
	*namer
	module    *mappings.Module
	indexes   []int    // of the words
	addresses []uint64 // of the words, in the file; ascending
	variables []symbolize.Variable
	of        []uint32
}

// nameVariable names the words from the index first on that have the same name by their variable, and returns the index behind
// them.
func (d *fileData) nameVariable(first int) (end int) {
	v := &d.variables[d.of[first]-1]
	name := d.number(d.variable(d.module, v, d.addresses[first]))
	for end = first; end < len(d.of) && d.of[end] == d.of[first] && (end == first || v.Size > largestStructure); end++ {
		d.named[d.indexes[end]] = name
	}
	return end
}

// variable names the variable around an ELF address.
func (n *namer) variable(m *mappings.Module, v *symbolize.Variable, address uint64) (h Holder) {
	if of, _, made := strings.Cut(v.Name, "..stmp_"); made { // by Go's compiler, for a value that has no name
		h.Name = "data of Go's package " + clean(of)
	} else if n.isGo(m, v, address) {
		h.Name = "Go variable " + clean(v.Name)
	} else {
		h.Name = "global " + clean(v.Name)
	}
	if offset := address - v.Start; offset > 0 && v.Size > 8 && v.Size <= largestStructure {
		h.Detail = fmt.Sprintf("%s+%#x", h.Name, offset)
	}
	if h.Name[0] == 'g' {
		h.Name += n.where(m, v.File)
	}
	return h
}

// goFile is what Go's linker calls all source files of Go when it leaves the rest to the C linker.
const goFile = "go.go"

func (n *namer) isGo(m *mappings.Module, v *symbolize.Variable, address uint64) bool {
	return m.HoldsGo() && (n.places.goData.at(address+m.Bias) != nil || v.File == goFile)
}

// where tells a variable's source file, if only that sees it, and the file that it was loaded from, if that is a library.
func (n *namer) where(m *mappings.Module, source string) string {
	library := ""
	if m != n.Main {
		library = clean(filepath.Base(m.Path))
	}
	switch source = clean(source); {
	case source != "" && library != "":
		return " (" + source + ", " + library + ")"
	case source != "" || library != "":
		return " (" + source + library + ")"
	}
	return ""
}

// Words without a symbol that lie closer together than neighbours are an array, or as good as one, if there are more than many.
const (
	neighbours = 64 // bytes
	many       = 8
)

// nameUnknown names the words without symbols from the index first on that lie side by side, and returns the index behind them.
func (d *fileData) nameUnknown(first int) (end int) {
	goes := d.inGo(first)
	for end = first + 1; end < len(d.of) && d.of[end] == 0 && d.inGo(end) == goes; end++ {
		if d.addresses[end]-d.addresses[end-1] > neighbours {
			break
		}
	}
	what, word := "data", "at"
	if goes {
		what = "data of Go"
	}
	if end-first > many {
		word = "from"
	}
	for i := first; i < end; i++ {
		address := d.addresses[i]
		if word == "from" {
			address = d.addresses[first]
		}
		d.named[d.indexes[i]] = d.number(Holder{Name: fmt.Sprintf("%s, %s %s +%#x", clean(filepath.Base(d.module.Path)), what, word, address)})
	}
	return end
}

func (d *fileData) inGo(i int) bool { return d.places.goData.at(d.addresses[i]+d.module.Bias) != nil }

// nameStorage names thread-local words.
func (n *namer) nameStorage(files byFile) {
	for _, bias := range slices.Sorted(maps.Keys(files)) {
		indexes := files[bias]
		offsets := make([]uint64, len(indexes))
		for i, index := range indexes {
			at := n.words[index].at
			offsets[i] = at - n.storageStart(at)
		}
		var m *mappings.Module
		if i := slices.IndexFunc(n.Modules, func(m *mappings.Module) bool { return m.Bias == bias }); i >= 0 {
			m = n.Modules[i]
		}
		variables, which := n.Names.Variables(m, symbolize.ThreadLocal, offsets)
		for i := range which {
			of := " of " + n.thread(n.Threads[n.places.storage.at(n.words[indexes[i]].at).which].Number)
			h := Holder{Name: "thread-local storage" + of}
			if which[i] > 0 {
				v := &variables[which[i]-1]
				h.Name = "thread-local " + clean(v.Name) + n.where(m, v.File) + of
			}
			n.named[indexes[i]] = n.number(h)
		}
	}
}

// storageStart returns where the storage that has an address begins, which for a file's is offset 0.
func (n *namer) storageStart(at uint64) uint64 {
	p := n.places.storage.at(at)
	for _, s := range n.Threads[p.which].Storage {
		if s.Bias == p.base && s.Start <= at && at < s.Limit {
			return s.Start
		}
	}
	return p.Start
}
