package symbolize

import (
	"debug/dwarf"
	"errors"
)

// call is a function in a want's chain: the one that holds the address, or one that was inlined there.
type call struct {
	entry        dwarf.Offset // of the subprogram or the inlined_subroutine
	file         int64        // of the place from where it was called, as an index into the unit's files
	line, column int
}

// site is where an inlined function was called from.
func (c *call) site(files []string) row {
	r := row{line: c.line, column: c.column}
	if c.file >= 0 && c.file < int64(len(files)) {
		r.file = files[c.file]
	}
	return r
}

// The deepest nesting of entries and of inlined calls that is believed.
const (
	depthLimit  = 1 << 12
	inlineLimit = 1 << 8
)

var errTooDeep = errors.New("symbolize: debug entries nest too deeply")

// unitWalk goes through the entries of one unit.
type unitWalk struct {
	*search
	reader *dwarf.Reader
	root   *dwarf.Entry
	end    dwarf.Offset
	open   []scope // the entries that enclose the next one
}

// scope is an open entry, as far as its children need to know it.
type scope struct {
	function  dwarf.Offset // the subprogram around; 0 outside
	depth     int          // calls in the chain of an address in this scope: 0 outside functions
	parts     []wants      // in the innermost function or inlined call
	enclosure int          // the names around, see names
}

// run lets each of the wants collect the calls that it lies in.
func (u *unitWalk) run(w wants) error {
	u.names.beginUnit(u.root)
	if !u.root.Children {
		return nil
	}
	u.open = append(u.open, scope{parts: []wants{w}})
	for len(u.open) > 0 {
		entry, err := u.reader.Next()
		if err != nil || entry == nil {
			return err
		}
		if entry.Tag == 0 {
			u.open = u.open[:len(u.open)-1]
			continue
		}
		if entry.Offset >= u.end {
			return nil
		}
		if err := u.enter(entry); err != nil {
			return err
		}
	}
	return nil
}

func (u *unitWalk) enter(entry *dwarf.Entry) error {
	if err := u.spend(cost(entry)); err != nil {
		return err
	}
	inner := u.open[len(u.open)-1]
	var err error
	switch entry.Tag {
	case dwarf.TagSubprogram:
		inner, err = u.enterFunction(entry, inner)
	case dwarf.TagInlinedSubroutine:
		inner, err = u.enterInlined(entry, inner)
	}
	inner.enclosure = u.names.enter(entry, inner.enclosure)
	if entry.Children {
		u.open = append(u.open, inner)
	}
	if len(u.open) > depthLimit {
		return errTooDeep
	}
	return err
}

// cost is the steps that reading an entry took: copying strings counts too.
func cost(entry *dwarf.Entry) int {
	steps := len(entry.Field) + 1
	for i := range entry.Field {
		if text, ok := entry.Field[i].Val.(string); ok {
			steps += len(text) / 64
		}
	}
	return steps
}

// enterFunction begins the chains of the wants in a function. A function can lie inside another one's entry, but not in
// its code, so it is looked for among the whole unit's wants.
func (u *unitWalk) enterFunction(entry *dwarf.Entry, outer scope) (scope, error) {
	inner := scope{function: entry.Offset, depth: 1, enclosure: outer.enclosure}
	var err error
	inner.parts, err = u.parts(u.root, entry, u.open[0].parts)
	for _, part := range inner.parts {
		begin(part, call{entry: entry.Offset})
	}
	return inner, err
}

// begin starts the chains that have not begun: of two functions at one address the first in the file counts.
func begin(w wants, c call) {
	for i := range w {
		if w[i].lines == nil && w[i].calls == nil {
			w[i].calls = append(w[i].calls, c)
		}
	}
}

// enterInlined lengthens the chains of the wants in an inlined call by it.
func (u *unitWalk) enterInlined(entry *dwarf.Entry, outer scope) (scope, error) {
	inner := scope{function: outer.function, depth: outer.depth + 1, enclosure: outer.enclosure}
	if outer.depth == 0 || outer.depth > inlineLimit {
		return inner, nil
	}
	c := call{entry: entry.Offset, file: -1}
	c.file, _ = entry.Val(dwarf.AttrCallFile).(int64)
	c.line, c.column = number(entry, dwarf.AttrCallLine), number(entry, dwarf.AttrCallColumn)
	var err error
	inner.parts, err = u.parts(u.root, entry, outer.parts)
	for _, part := range inner.parts {
		lengthen(part, outer, c)
	}
	return inner, err
}

func lengthen(w wants, outer scope, c call) {
	for i := range w {
		if len(w[i].calls) == outer.depth && w[i].calls[0].entry == outer.function {
			w[i].calls = append(w[i].calls, c)
		}
	}
}

// number is an attribute that counts something, 0 if it is absent or absurd.
func number(entry *dwarf.Entry, attribute dwarf.Attr) int {
	value, _ := entry.Val(attribute).(int64)
	if value < 0 || value > 1<<31-1 {
		return 0
	}
	return int(value)
}
