package itanium

import (
	"strconv"
	"strings"
)

func (b *builder) writeNumber(n int) { b.buffer = strconv.AppendInt(b.buffer, int64(n), 10) }

// arguments reads template arguments, or the elements of a pack.
func (p *parser) arguments() list {
	defer p.leave()
	if !p.enter() {
		return list{}
	}
	p.rest = p.rest[1:]
	var room [8]text
	arguments := room[:0]
	for !p.failed && p.peek() != 'E' {
		arguments = append(arguments, p.argument())
	}
	p.expect('E')
	return p.keep(arguments)
}

func (p *parser) argument() text {
	switch p.peek() {
	case 'L':
		p.rest = p.rest[1:]
		return p.literal()
	case 'I', 'J':
		return p.pack()
	case 'X':
		p.rest = p.rest[1:]
		defer p.expect('E')
		return p.member()
	}
	return p.typ()
}

// member reads the one kind of expression that is understood, a constant in a class: is_integral<T>::value.
func (p *parser) member() text {
	class, ok := strings.CutPrefix(p.rest, "sr")
	if !ok || class == "" || class[0] != 'S' && class[0] != 'T' {
		p.fail()
		return text{}
	}
	p.rest = class
	t := p.typ()
	own := p.sourceName()
	if t.shape != plain || p.peek() != 'E' {
		p.fail()
	}
	b := p.begin()
	b.put(t)
	b.write("::")
	b.put(own)
	return b.end()
}

// withArguments is a name with its template arguments, if these are wanted.
func (p *parser) withArguments(t text, arguments list) text {
	texts := p.lists[arguments.first:arguments.last]
	b := p.begin()
	b.put(t)
	own := b.name
	for _, argument := range texts {
		b.join(argument.scope)
	}
	if p.show&TemplateArguments != 0 && !p.failed {
		if b.last() == '<' {
			b.write(" ")
		}
		b.write("<")
		b.putList(texts)
		if b.last() == '>' {
			b.write(" ")
		}
		b.write(">")
	}
	b.name = own
	return b.end()
}

// pack reads the arguments that one parameter stands for. One of them may be an expansion, if it is the only one.
func (p *parser) pack() text {
	elements := p.arguments()
	for _, t := range p.lists[elements.first:elements.last] {
		if t.shape == pack && elements.last-elements.first > 1 {
			p.fail()
		}
	}
	b := p.begin()
	b.putList(p.lists[elements.first:elements.last])
	b.shape, b.elements = pack, elements
	return b.end()
}

// suffixes are what stands behind numbers of some types.
var suffixes = map[byte]string{'i': "", 'j': "u", 'l': "l", 'm': "ul", 'x': "ll", 'y': "ull"}

// literal reads a number as a template argument, behind its L.
func (p *parser) literal() text {
	c := p.peek()
	if c == 'd' || c == 'e' || c == 'f' || c == 'g' || c == 'D' || c == 'T' || c == '_' {
		p.fail()
	}
	t := p.typ()
	if t.scope != 0 || t.shape != plain {
		p.fail()
	}
	negative := p.take('n')
	digits := 0
	for digits < len(p.rest) && isDigit(p.rest[digits]) {
		digits++
	}
	value := p.rest[:digits]
	p.rest = p.rest[digits:]
	if p.expect('E'); digits == 0 {
		p.fail()
	}
	if c == 'b' && !negative && value == "0" {
		return p.constant("false")
	} else if c == 'b' && !negative && value == "1" {
		return p.constant("true")
	}
	suffix, bare := suffixes[c]
	b := p.begin()
	if !bare {
		b.write("(")
		b.put(t)
		b.write(")")
	}
	if negative {
		b.write("-")
	}
	b.write(value)
	b.write(suffix)
	return b.end()
}
