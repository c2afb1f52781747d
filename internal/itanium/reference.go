package itanium

// The texts that substitutions of one letter stand for, and the longer ones in front of constructors and destructors.
var (
	shortNames = map[byte]string{
		't': "std", 'a': "std::allocator", 'b': "std::basic_string", 's': "std::string", 'i': "std::istream",
		'o': "std::ostream", 'd': "std::iostream",
	}
	longNames = map[byte]string{'s': "basic_string", 'i': "basic_istream", 'o': "basic_ostream", 'd': "basic_iostream"}
)

// substitution reads a reference to an earlier part of the name, or to a well-known class.
func (p *parser) substitution(nested bool) text {
	c := p.next()
	if c == '_' || isDigit(c) || isUpper(c) {
		p.rest = p.rest[1:]
		return p.earlier()
	}
	word, ok := shortNames[c]
	if !ok {
		p.fail()
		return text{}
	}
	if p.rest = p.rest[2:]; p.peek() == 'B' {
		p.fail()
	}
	if class, ok := longNames[c]; ok && nested && (p.peek() == 'C' || p.peek() == 'D') {
		return p.longName(class)
	}
	t := p.constant(word)
	if c != 't' {
		t.name[0] += len("std::")
	}
	return t
}

// longName is a class of the standard library with its usual arguments.
func (p *parser) longName(class string) text {
	arguments := "<char, std::char_traits<char> >"
	if class == "basic_string" {
		arguments = "<char, std::char_traits<char>, std::allocator<char> >"
	}
	if p.show&TemplateArguments == 0 {
		arguments = ""
	}
	t := p.constant("std::" + class + arguments)
	t.name = [2]int{t.low + len("std::"), t.high - len(arguments)}
	return t
}

// earlier reads the number of an earlier part, in base 36. One with template parameters means what it meant only where
// the same scope goes on: elsewhere it is read again.
func (p *parser) earlier() text {
	index := 0
	if !p.take('_') {
		for p.peek() != '_' && !p.failed {
			switch c := p.peek(); {
			case isDigit(c):
				index = index*36 + int(c-'0')
			case isUpper(c):
				index = index*36 + int(c-'A') + 10
			default:
				p.fail()
				return text{}
			}
			if p.rest = p.rest[1:]; index > stepLimit {
				p.fail()
			}
		}
		p.expect('_')
		index++
	}
	if index >= len(p.subs) {
		p.fail()
		return text{}
	}
	if t := p.subs[index]; t.scope == 0 || t.scope == p.scope.id {
		return t
	}
	return p.again(p.subs[index])
}

// again reads an earlier type in another scope.
func (p *parser) again(t text) text {
	if t.scope == nowhere || t.source == "" {
		p.fail()
		return t
	}
	rest, known := p.rest, len(p.subs)
	p.rest = t.source
	if t = p.typ(); p.rest != "" {
		p.fail()
	}
	p.subs = p.subs[:known]
	if !p.failed {
		p.rest = rest
	}
	return t
}

// substitutedType reads a type that begins with a substitution.
func (p *parser) substitutedType() (t text, remember bool) {
	if c := p.next(); c == '_' || isDigit(c) || isUpper(c) {
		n := name{text: p.substitution(false)}
		p.takeArguments(&n)
		return n.text, n.template
	}
	std := p.next() == 't'
	n := p.readName()
	return n.text, std || n.template
}

// parameter reads a template parameter, which stands for an argument of the function around, or for one of the pack's
// elements if it is a pack and being expanded.
func (p *parser) parameter() text {
	p.expect('T')
	index := p.index()
	s := p.scope
	if s.id == 0 || s.inner || p.peek() == 'I' {
		p.fail()
		return text{}
	}
	if s.lambda {
		b := p.begin()
		b.write("auto:")
		b.writeNumber(index + 1)
		t := b.end()
		t.scope = s.id
		return t
	}
	if index >= s.arguments.last-s.arguments.first {
		p.fail()
		return text{}
	}
	t := p.lists[s.arguments.first+index]
	if t.shape == pack {
		t = p.expand(t)
	}
	if t.scope != 0 {
		p.fail()
	}
	t.scope = s.id
	return t
}

// expand is the element of a pack whose turn it is; an empty text if there is none.
func (p *parser) expand(t text) text {
	count := t.elements.last - t.elements.first
	if p.element < 0 || p.packed >= 0 && p.packed != count {
		p.fail()
		return text{}
	}
	if p.packed = count; p.element >= count {
		return text{}
	}
	return p.lists[t.elements.first+p.element]
}

// expansion reads a type in which a pack stands once for each of its elements. What substitutions would refer to in it
// has no text of its own.
func (p *parser) expansion() text {
	if p.element >= 0 {
		p.fail()
		return text{}
	}
	pattern, known := p.rest, len(p.subs)
	var room [8]text
	texts := room[:0]
	for p.element, p.packed = 0, -1; !p.failed && p.element < max(1, p.packed); p.element++ {
		p.rest, p.subs = pattern, p.subs[:known]
		if texts = append(texts, p.typ()); p.packed < 0 {
			p.fail()
		}
	}
	if p.element = -1; p.packed == 0 {
		texts = nil
	}
	for i := known; i < len(p.subs); i++ {
		p.subs[i].scope = nowhere
	}
	b := p.begin()
	b.putList(texts)
	b.shape, b.text.scope = pack, nowhere
	return b.end()
}
