package page

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/pprof/profile"
)

// Stacks is a profile as a tree that a browser draws. Functions and texts are listed once, and nodes are rows of numbers.
type Stacks struct {
	View     string              `json:"view"`
	Time     int64               `json:"time"`           // milliseconds since 1970
	From     int64               `json:"from,omitempty"` // of growth: what Time is compared with
	Value    string              `json:"value"`
	Unit     string              `json:"unit"`
	Total    int64               `json:"total"`
	Comments []string            `json:"comments"`
	Labels   map[string][]string `json:"labels"` // the values of each key, at most mostValues

	Texts     []string   `json:"texts"`
	Functions []Function `json:"functions"`

	// Nodes are [parent, function, self, objects], each after its parent, which is the index of an earlier one; -1 for a root. Self is
	// without the nodes below. In JSON they are shorter: see Nodes.
	Nodes Nodes `json:"nodes"`
	Cut   int   `json:"cut"` // how many nodes were too many to be listed; their sums are in nodes of the function "other"

	// Lines are [function, line of its file, flat, cumulative], those with the most if there are more than mostLines. Flat is what
	// the line itself allocated, and cumulative has what it called as well, counted once in recursion.
	Lines [][4]int64 `json:"lines"`
}

// Function is the numbers of texts: its name, its file, its library; then its kind, and the line it begins at.
type Function [5]int

// Options say how a profile becomes a tree.
type Options struct {
	View  string
	Value string // a sample type; "" for the one that viewers show first
	By    string // a label: its values become roots; "" for none
	Keep  int    // how many nodes at most, not counting those that stand for what was cut; 0 for mostNodes
}

// mostNodes is what a browser makes a tree of in a second or two, and 5 MB of JSON before it is packed. It has all nodes up to then,
// because the page adds them up in other ways: by function, by library, from the innermost function on. Only what it draws is cut.
const mostNodes = 500_000

// mostValues bounds the values of a label that are listed.
const mostValues = 200

// other is what stands for nodes that were cut.
const other = "(small ones)"

// NewStacks returns the profile as a tree.
func NewStacks(p *profile.Profile, o Options) *Stacks {
	b := newBuilder(p, o.Value)
	b.made.View = o.View
	if o.View == "growth" && p.DurationNanos > 0 {
		b.made.From = (p.TimeNanos - p.DurationNanos) / 1e6
	}
	for _, s := range p.Sample {
		b.add(s, o.By)
	}
	b.made.Nodes = b.tree()
	if o.Keep == 0 {
		o.Keep = mostNodes
	}
	b.cut(o.Keep)
	b.cutLines()
	b.labels()
	return &b.made
}

// builder makes Stacks.
type builder struct {
	made      Stacks
	column    int
	objects   int // the column of objects; -1 for none
	texts     map[string]int
	functions map[Function]int64
	lines     map[*profile.Location][]frame
	rows      map[[2]int64]int // the index in Lines, by function and line
	counted   []int            // by row: the number of the last sample that is in its cumulative sum
	samples   int
	stacks    []stack
	frames    []frame // of the last sample, the innermost first
	values    map[string]map[string]bool
}

func newBuilder(p *profile.Profile, value string) *builder {
	b := &builder{objects: -1, texts: make(map[string]int), functions: make(map[Function]int64),
		lines: make(map[*profile.Location][]frame, len(p.Location)), rows: make(map[[2]int64]int),
		values: make(map[string]map[string]bool)}
	b.made = Stacks{Time: p.TimeNanos / 1e6, Comments: p.Comments, Labels: make(map[string][]string), Nodes: Nodes{}, Lines: [][4]int64{}}
	b.column = columnOf(p, value)
	if b.column < len(p.SampleType) {
		b.made.Value, b.made.Unit = p.SampleType[b.column].Type, p.SampleType[b.column].Unit
	}
	if b.column > 0 && p.SampleType[b.column-1].Unit == "count" {
		b.objects = b.column - 1
	}
	b.text("")
	return b
}

// columnOf returns the column of a sample type, or else of the values that viewers show first.
func columnOf(p *profile.Profile, value string) int {
	if value == "" {
		value = p.DefaultSampleType
	}
	for i, t := range p.SampleType {
		if t.Type == value {
			return i
		}
	}
	return max(0, len(p.SampleType)-1)
}

func (b *builder) text(s string) int {
	n, known := b.texts[s]
	if !known {
		n = len(b.made.Texts)
		b.texts[s] = n
		b.made.Texts = append(b.made.Texts, s)
	}
	return n
}

func (b *builder) function(f Function) int64 {
	n, known := b.functions[f]
	if !known {
		n = int64(len(b.made.Functions))
		b.functions[f] = n
		b.made.Functions = append(b.made.Functions, f)
	}
	return n
}

// add adds a sample, from the outermost function on.
func (b *builder) add(s *profile.Sample, by string) {
	functions := make([]int64, 0, len(s.Location)+8) // some have inlined ones
	if by != "" {
		functions = append(functions, b.function(Function{b.text(by + ": " + labelOf(s, by)), 0, 0, kindLabel, 0}))
	}
	b.frames = b.frames[:0]
	for _, l := range s.Location {
		b.frames = append(b.frames, b.linesOf(l)...)
	}
	for _, f := range slices.Backward(b.frames) {
		functions = append(functions, f.function)
	}
	for key, list := range s.Label {
		for _, value := range list {
			b.sawLabel(key, value)
		}
	}
	if len(functions) == 0 || b.column >= len(s.Value) {
		return
	}
	b.addLines(s.Value[b.column])
	b.made.Total += s.Value[b.column]
	made := stack{functions: functions, self: s.Value[b.column]}
	if b.objects >= 0 {
		made.objects = s.Value[b.objects]
	}
	b.stacks = append(b.stacks, made)
}

func labelOf(s *profile.Sample, key string) string {
	if list := s.Label[key]; len(list) > 0 {
		return list[0]
	}
	if list := s.NumLabel[key]; len(list) > 0 {
		return fmt.Sprint(list[0])
	}
	return "none"
}

// frame is a function of a location, and the row of its line; -1 if that is not known.
type frame struct {
	function int64
	row      int
}

// linesOf returns the functions of a location, the innermost first. One without names is called by its file and address.
func (b *builder) linesOf(l *profile.Location) []frame {
	list, known := b.lines[l]
	if known {
		return list
	}
	library := 0
	if l.Mapping != nil {
		library = b.text(filepath.Base(l.Mapping.File))
	}
	for _, line := range l.Line {
		if f := line.Function; f != nil {
			about := Function{b.text(f.Name), b.text(f.Filename), library, kindOf(f, l.Mapping), int(f.StartLine)}
			function := b.function(about)
			list = append(list, frame{function, b.row(function, line.Line)})
		}
	}
	if len(list) == 0 {
		name := fmt.Sprintf("%#x", l.Address)
		if l.Mapping != nil {
			name = fmt.Sprintf("%s+%#x", filepath.Base(l.Mapping.File), l.Address)
		}
		list = []frame{{b.function(Function{b.text(name), 0, library, kindC, 0}), -1}}
	}
	b.lines[l] = list
	return list
}
