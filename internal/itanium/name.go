package itanium

// name is the name of a function or of a type.
type name struct {
	text
	template   bool // it ends with template arguments
	arguments  list
	special    bool   // a constructor or destructor
	qualifiers string // of a method
}

// encoding reads a function's name and its parameters. A local one is the scope of something else.
func (p *parser) encoding(local bool) text {
	n := p.readName()
	if !local && p.show&Parameters == 0 {
		return n.text
	}
	if p.rest == "" || p.peek() == 'E' {
		if n.qualifiers != "" {
			p.fail()
		}
		return n.text
	}
	outer := p.scope
	if n.template {
		if outer.id != 0 {
			p.fail()
		}
		p.scopes++
		p.scope = scope{id: p.scopes, arguments: n.arguments}
	}
	var result text
	if n.template && !n.special {
		result = p.typ()
	}
	parameters := p.parameters()
	p.scope = outer
	return p.function(n, result, parameters, local)
}

// function puts a function together. It has no more template parameters in it that could be meant otherwise.
func (p *parser) function(n name, result text, parameters list, local bool) text {
	b := p.begin()
	if !local && result.high > 0 {
		if result.shape >= function {
			p.fail()
		}
		b.put(result)
		b.write(" ")
	}
	b.put(n.text)
	b.write("(")
	if p.show&Parameters != 0 {
		b.putList(p.lists[parameters.first:parameters.last])
	}
	b.write(")")
	b.write(n.qualifiers)
	t := b.end()
	t.scope = 0
	return t
}

func (p *parser) readName() name {
	defer p.leave()
	if !p.enter() {
		return name{}
	}
	switch c := p.peek(); {
	case c == 'N':
		return p.nestedName()
	case c == 'Z':
		return p.localName()
	case c == 'S' && p.next() != 't':
		n := name{text: p.substitution(false)}
		p.takeArguments(&n)
		return n
	case c == 'S':
		p.rest = p.rest[2:]
		part := p.unqualified()
		b := p.begin()
		b.write("std::")
		b.put(part)
		return p.unscoped(b.end())
	case c == 'U':
		return name{text: p.unqualified()}
	}
	return p.unscoped(p.unqualified())
}

// unscoped is a name that may have template arguments.
func (p *parser) unscoped(t text) name {
	n := name{text: t}
	if p.peek() == 'I' {
		p.subs = append(p.subs, t)
		p.takeArguments(&n)
	}
	return n
}

// takeArguments lengthens a name by its template arguments, if there are any.
func (p *parser) takeArguments(n *name) {
	if p.peek() == 'I' {
		n.template, n.arguments = true, p.arguments()
		n.text = p.withArguments(n.text, n.arguments)
	}
}

func (p *parser) nestedName() (n name) {
	p.expect('N')
	switch {
	case p.take('K'):
		n.qualifiers = " const"
	case p.peek() == 'V' || p.peek() == 'r':
		p.fail()
	}
	if p.take('R') {
		n.qualifiers += " &"
	} else if p.take('O') {
		n.qualifiers += " &&"
	}
	for known := false; ; known = true {
		c := p.peek()
		if n.template = c == 'I'; n.template {
			if !known {
				p.fail()
			}
			p.takeArguments(&n)
		} else {
			n.text = p.part(&n, known)
		}
		if p.failed || p.peek() == 'E' {
			break
		}
		if c != 'S' {
			p.subs = append(p.subs, n.text)
		}
	}
	p.expect('E')
	return n
}

// part reads the next part of a nested name and puts it behind the ones before, if these are known.
func (p *parser) part(n *name, known bool) text {
	var part text
	switch c := p.peek(); {
	case c == 'S' && !known:
		return p.substitution(true)
	case (c == 'C' || c == 'D') && known && isDigit(p.next()):
		n.special = true
		part = p.constructor(n.text)
	case isDigit(c) || isLower(c) || c == 'L' || c == 'U':
		n.special = false
		part = p.unqualified()
	default:
		p.fail()
	}
	if !known {
		return part
	}
	b := p.begin()
	b.put(n.text)
	b.write("::")
	b.put(part)
	return b.end()
}

// constructor reads a constructor or a destructor of a class.
func (p *parser) constructor(class text) text {
	kind := p.rest[:2]
	p.rest = p.rest[2:]
	own := text{low: class.name[0], high: class.name[1], name: class.name, scope: class.scope}
	switch kind {
	case "C1", "C2", "C3", "C4", "C5":
		return p.tagged(own)
	case "D0", "D1", "D2", "D4", "D5":
		b := p.begin()
		b.write("~")
		b.put(own)
		return p.tagged(b.end())
	}
	p.fail()
	return own
}

// localName reads what lies in a function.
func (p *parser) localName() name {
	p.expect('Z')
	around := p.encoding(true)
	p.expect('E')
	if p.peek() == 's' || p.peek() == 'd' {
		p.fail()
	}
	n := p.readName()
	p.discriminator()
	b := p.begin()
	b.put(around)
	b.write("::")
	b.put(n.text)
	n.text = b.end()
	return n
}

// discriminator goes past the number that tells things of one name in one function apart.
func (p *parser) discriminator() {
	if !p.take('_') {
		if isDigit(p.peek()) {
			p.fail()
		}
		return
	}
	long := p.take('_')
	if n := p.number(); long && n >= 10 {
		p.expect('_')
	}
}
