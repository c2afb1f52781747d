package dwarf

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
