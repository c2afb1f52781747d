package itanium

// text is the readable form of a part of the name: a part of the buffer.
type text struct {
	low, high int
	name      [2]int // the last name in it without its template arguments: what a constructor is called
	shape     shape
	scope     int32  // that of the template parameters in it; 0 if there are none
	split     int    // of a function type, where its parameters begin
	elements  list   // of a pack
	source    string // of a type with template parameters: how it was written, to be read again in another scope
}

// list is a part of the parser's lists.
type list struct{ first, last int }

// shape is what may be done with a text.
type shape uint8

const (
	plain shape = iota
	qualified
	lvalueReference
	rvalueReference
	function
	closed // a pointer to a function: nothing can be appended
	pack   // some texts, none of them in particular
)

// nowhere is the scope of a text that must not be used again.
const nowhere = -1

// builder puts a text together at the end of the buffer.
type builder struct {
	*parser
	text
}

func (p *parser) begin() builder {
	return builder{p, text{low: len(p.buffer)}}
}

func (b *builder) write(s string) { b.buffer = append(b.buffer, s...) }

// put appends a text, whose last name becomes the last name.
func (b *builder) put(t text) {
	if len(b.buffer)+t.high-t.low > bufferLimit {
		b.fail()
		return
	}
	shift := len(b.buffer) - t.low
	b.buffer = append(b.buffer, b.buffer[t.low:t.high]...)
	b.name = [2]int{t.name[0] + shift, t.name[1] + shift}
	b.join(t.scope)
}

// join makes the text depend on a scope.
func (b *builder) join(scope int32) {
	switch {
	case b.text.scope == 0:
		b.text.scope = scope
	case scope != 0 && scope != b.text.scope:
		b.text.scope = nowhere
	}
}

// putList appends texts with commas between them, without those that are empty.
func (b *builder) putList(texts []text) {
	first := true
	for _, t := range texts {
		if b.join(t.scope); t.low == t.high {
			continue
		}
		if !first {
			b.write(", ")
		}
		b.put(t)
		first = false
	}
}

func (b *builder) last() byte { return b.buffer[len(b.buffer)-1] }

// end is the text that was put together.
func (b *builder) end() text {
	b.high = len(b.buffer)
	return b.text
}

// constant is a text of its own, all of it its name.
func (p *parser) constant(s string) text {
	b := p.begin()
	b.write(s)
	b.name = [2]int{b.low, len(p.buffer)}
	return b.end()
}

// followed is a text with something behind it.
func (p *parser) followed(t text, s string) text {
	b := p.begin()
	b.put(t)
	b.write(s)
	return b.end()
}
