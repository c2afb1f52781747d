package itanium

// typ reads a type.
func (p *parser) typ() text {
	defer p.leave()
	if p.steps++; !p.enter() || p.steps > stepLimit {
		p.fail()
		return text{}
	}
	written := p.rest
	isConst := p.take('K')
	unqualified := p.rest
	if c := p.peek(); c == 'K' || c == 'V' || c == 'r' || isConst && c == 'F' {
		p.fail()
	}
	t, remember := p.unqualifiedType()
	if remember {
		p.remember(t, unqualified)
	}
	if isConst {
		if t.shape != plain {
			p.fail()
		}
		t = p.followed(t, " const")
		t.shape = qualified
		p.remember(t, written)
	}
	return t
}

// remember lets substitutions refer to a type that was just read.
func (p *parser) remember(t text, written string) {
	if t.scope != 0 && !p.failed {
		t.source = written[:len(written)-len(p.rest)]
	}
	p.subs = append(p.subs, t)
}

// unqualifiedType reads a type without const in front, and says whether it can be referred to by substitutions.
func (p *parser) unqualifiedType() (t text, remember bool) {
	c := p.peek()
	if word := builtins[c&0x7f]; word != "" && c < 0x80 {
		p.rest = p.rest[1:]
		return p.constant(word), false
	}
	switch {
	case c == 'N' || c == 'Z' || isDigit(c):
		return p.typeName(), true
	case c == 'S':
		return p.substitutedType()
	case c == 'T':
		return p.parameter(), true
	case c == 'P' || c == 'R' || c == 'O':
		p.rest = p.rest[1:]
		return p.wrapped(c, p.typ()), true
	case c == 'F':
		return p.functionType(), true
	case c == 'D' && p.next() == 'p':
		p.rest = p.rest[2:]
		return p.expansion(), true
	case c == 'D' && builtinsD[p.next()] != "":
		word := builtinsD[p.next()]
		p.rest = p.rest[2:]
		return p.constant(word), false
	}
	p.fail()
	return text{}, false
}

func (p *parser) typeName() text {
	n := p.readName()
	if n.qualifiers != "" {
		p.fail()
	}
	return n.text
}

var builtins = [128]string{
	'a': "signed char", 'b': "bool", 'c': "char", 'd': "double", 'e': "long double", 'f': "float", 'g': "__float128",
	'h': "unsigned char", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'n': "__int128",
	'o': "unsigned __int128", 's': "short", 't': "unsigned short", 'v': "void", 'w': "wchar_t", 'x': "long long",
	'y': "unsigned long long", 'z': "...",
}

// builtinsD are those behind a D.
var builtinsD = map[byte]string{
	'n': "decltype(nullptr)", 's': "char16_t", 'i': "char32_t", 'u': "char8_t", 'a': "auto", 'c': "decltype(auto)",
}

// wrapped is a pointer (P) or a reference (R, O) to a type. References to references collapse.
func (p *parser) wrapped(kind byte, t text) text {
	mark, made := "*", plain
	switch kind {
	case 'R':
		mark, made = "&", lvalueReference
	case 'O':
		mark, made = "&&", rvalueReference
	}
	switch {
	case t.shape == function:
		return p.functionPointer(mark, t)
	case t.shape > function || kind == 'P' && t.shape >= lvalueReference:
		p.fail()
		return t
	case t.shape == lvalueReference || t.shape == rvalueReference && kind == 'O':
		return t
	case t.shape == rvalueReference:
		t.high--
		t.shape = lvalueReference
		return t
	}
	t = p.followed(t, mark)
	t.shape = made
	return t
}

// functionType reads a function's type: bool (int).
func (p *parser) functionType() text {
	p.expect('F')
	result := p.typ()
	if result.shape >= function {
		p.fail()
	}
	parameters := p.parameters()
	p.expect('E')
	b := p.begin()
	b.put(result)
	b.write(" ")
	b.split = len(p.buffer)
	b.write("(")
	b.putList(p.lists[parameters.first:parameters.last])
	b.write(")")
	b.shape = function
	return b.end()
}

// functionPointer is a pointer or reference to a function: bool (*)(int).
func (p *parser) functionPointer(mark string, f text) text {
	b := p.begin()
	b.put(text{low: f.low, high: f.split, scope: f.scope})
	b.write("(")
	b.write(mark)
	b.write(")")
	b.put(text{low: f.split, high: f.high, scope: f.scope})
	b.shape = closed
	return b.end()
}

// parameters reads the types of parameters up to the end of the list. A single void stands for none.
func (p *parser) parameters() list {
	if p.peek() == 'v' && (len(p.rest) == 1 || p.rest[1] == 'E' || p.rest[1] == '.') {
		p.rest = p.rest[1:]
		return list{}
	}
	var room [8]text
	types := room[:0]
	for p.rest != "" && p.rest[0] != 'E' && p.rest[0] != '.' {
		types = append(types, p.typ())
	}
	if len(types) == 0 {
		p.fail()
	}
	return p.keep(types)
}

// keep puts texts into the lists.
func (p *parser) keep(texts []text) list {
	first := len(p.lists)
	p.lists = append(p.lists, texts...)
	return list{first, len(p.lists)}
}
