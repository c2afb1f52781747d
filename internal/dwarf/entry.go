package dwarf

import (
	"bytes"
	"encoding/binary"
)

// entry is the part of a debug entry that the walk needs. What lies behind the sibling is set only if the abbreviation has
// code.
type entry struct {
	offset                         uint64
	abbrev                         *abbrev // nil: the end of a list of children
	sibling                        uint64  // where the entry after its children is; 0 if that is not said
	extent                         extent
	callFile, callLine, callColumn uint64
}

// next reads an entry. It reports false if the entry cannot be read.
func (e *entry) next(c *cursor, u *unit) bool {
	return e.nextInWindow(c, u) || e.nextAnywhere(c, u)
}

func (e *entry) nextAnywhere(c *cursor, u *unit) bool {
	e.offset, e.abbrev, e.sibling = c.offset(), nil, 0
	code := c.uleb()
	if code == 0 {
		return !c.short
	}
	if e.abbrev = u.table.find(code); e.abbrev == nil {
		return false
	}
	if e.abbrev.hasCode {
		*e = entry{offset: e.offset, abbrev: e.abbrev}
	}
	for i := range e.abbrev.plan {
		step := &e.abbrev.plan[i]
		c.skip(uint64(step.skip))
		if step.take {
			e.take(step.attr.name, c.value(u.encoding, step.attr.form, step.attr.constant), u)
		} else if step.size < 0 {
			c.skipValue(int(step.size))
		}
	}
	return !c.short
}

// steps returns what it costs to read the entry.
func (e *entry) steps() int {
	if e.abbrev == nil {
		return 1
	}
	return 1 + len(e.abbrev.plan)
}

func (e *entry) take(name attrName, v value, u *unit) {
	switch name {
	case attrSibling:
		if target, ok := u.reference(v); ok {
			e.sibling = target
		}
	case attrLowPC:
		e.extent.low = v
	case attrHighPC:
		e.extent.high = v
	case attrRanges:
		e.extent.ranges = v
	case attrCallFile:
		e.callFile = v.number
	case attrCallLine:
		e.callLine = v.number
	case attrCallColumn:
		e.callColumn = v.number
	}
}

// reference returns the offset of the entry that a value refers to within its unit; false if it lies elsewhere.
func (u *unit) reference(v value) (uint64, bool) {
	switch v.form {
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		target := u.start + v.number
		return target, v.number < u.end-u.start && target >= u.entries
	}
	return 0, false
}

// skipChildren goes to the entry after the children of the one that was just read.
func (w *walk) skipChildren(e *entry) error {
	c := w.cursor
	if e.sibling > c.offset() && e.sibling <= w.unit.end {
		c.seek(e.sibling)
		return nil
	}
	var inner entry
	for depth := 1; depth > 0 && c.offset() < w.unit.end; {
		if !inner.next(c, w.unit) {
			return errDamaged
		}
		switch {
		case !w.budget.spend(inner.steps()):
			return ErrTooBig
		case inner.abbrev == nil:
			depth--
		case inner.abbrev.children && inner.sibling > c.offset() && inner.sibling <= w.unit.end:
			c.seek(inner.sibling)
		case inner.abbrev.children:
			depth++
		}
	}
	return nil
}

// nextInWindow reads an entry as nextAnywhere does, if it is of the usual kind and lies in the cursor's window with a few
// bytes behind it, as nearly all do. Otherwise it reports false and leaves the cursor where it is.
func (e *entry) nextInWindow(c *cursor, u *unit) bool {
	window, at := c.window, c.at
	if at+longestNumber > len(window) {
		return false
	}
	code := uint64(window[at])
	if at++; code >= 0x80 {
		code = code&0x7f | uint64(window[at])<<7
		if at++; code >= 1<<14 {
			return false
		}
	}
	if code-1 >= uint64(len(u.table.numbered)) {
		if code != 0 {
			return false
		}
		e.offset, e.abbrev, e.sibling, c.at = c.offset(), nil, 0, at
		return true
	}
	a := &u.table.numbered[code-1]
	e.offset, e.abbrev, e.sibling = c.offset(), a, 0
	if a.hasCode {
		*e = entry{offset: e.offset, abbrev: a}
	}
	for i := range a.plan {
		step := &a.plan[i]
		if step.skip > uint32(len(window)) {
			return false
		}
		if at += int(step.skip); at+longestNumber > len(window) {
			return false
		}
		value, size := step.read(window[at:])
		if size < 0 {
			return false
		}
		if at += size; step.take {
			e.take(step.attr.name, value, u)
		}
	}
	if at > len(window) {
		return false
	}
	c.at = at
	return true
}

// read reads a step's value from bytes of which there are at least longestNumber. The size is -1 if the value is of
// another kind, or longer than usual.
func (o *op) read(b []byte) (v value, size int) {
	v.form = o.attr.form
	switch o.size {
	case 0:
		v.number = uint64(o.attr.constant)
		return v, 0
	case 1:
		v.number = uint64(b[0])
		return v, 1
	case 2:
		v.number = uint64(binary.LittleEndian.Uint16(b))
		return v, 2
	case 4:
		v.number = uint64(binary.LittleEndian.Uint32(b))
		return v, 4
	case 8:
		v.number = binary.LittleEndian.Uint64(b)
		return v, 8
	case sizeBlock1:
		return v, 1 + int(b[0])
	case sizeBlock:
		if b[0] < 0x80 {
			return v, 1 + int(b[0])
		}
	case sizeText:
		if end := bytes.IndexByte(b[:min(len(b), stepBytes)], 0); end >= 0 && !o.take {
			return v, end + 1 // longer ones have to be paid for
		}
	case sizeLEB:
		if o.take && v.form == formSdata {
			return v, -1
		}
		return v.leb(b)
	}
	return v, -1
}

// leb returns the value with an unsigned number of one or two bytes.
func (v value) leb(b []byte) (value, int) {
	switch {
	case b[0] < 0x80:
		v.number = uint64(b[0])
		return v, 1
	case b[1] < 0x80:
		v.number = uint64(b[0]&0x7f) | uint64(b[1])<<7
		return v, 2
	}
	return v, -1
}
