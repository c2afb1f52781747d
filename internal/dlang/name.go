package dlang

import "strings"

// mangled reads _D, a qualified name, and its type; artificial symbols have Z instead.
func (p *parser) mangled() string {
	if !p.accept("_D") {
		return p.fail()
	}
	name := p.qualified(true)
	if !p.accept("Z") {
		p.typed()
	}
	return name
}

// qualified reads names from the outermost inwards. The modifiers of methods are shown if they are wanted.
func (p *parser) qualified(modifiers bool) string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	name := ""
	for first := true; ; {
		for p.peek() == '0' { // anonymous
			p.at++
			if !p.symbolComes() {
				return name
			}
		}
		part, about := p.identifier()
		switch {
		case about != "":
			name = p.join(about, name)
		case first:
			name = part
		default:
			name = p.join(name, ".", part)
		}
		first = false
		name = p.join(name, p.parameters(modifiers))
		if p.failed || !p.symbolComes() {
			return name
		}
	}
}

// symbolComes reports whether what comes next is a name.
func (p *parser) symbolComes() bool {
	return isDigit(p.peek()) || p.templateComes() || p.peek() == 'Q' && isDigit(p.referred())
}

func (p *parser) templateComes() bool {
	rest := p.text[p.at:]
	return strings.HasPrefix(rest, "__T") || strings.HasPrefix(rest, "__U")
}

// parameters reads the parameters of a function whose name was just read, if such come: without its return type, which
// only the last name has, as the symbol's type.
func (p *parser) parameters(modifiers bool) string {
	if p.peek() != 'M' && convention(p.peek()) == "" {
		return ""
	}
	saved := *p
	suffix := ""
	if p.accept("M") {
		suffix = p.modifiers()
	}
	_, _, words := p.function()
	if p.failed || p.peek() == 0 {
		work := p.work
		*p = saved
		p.work = work
		return ""
	}
	if p.show&Parameters == 0 {
		return ""
	}
	if modifiers {
		words = p.join(words, suffix)
	}
	return words
}

// artificial symbols are about what their last name is a part of.
var artificial = map[string]string{
	"__init": "initializer for ", "__vtbl": "vtable for ", "__Class": "ClassInfo for ",
	"__Interface": "Interface for ", "__ModuleInfo": "ModuleInfo for ",
}

// identifier reads one name. For an artificial symbol it says instead what goes before the names around it.
func (p *parser) identifier() (name, about string) {
	if !p.enter() {
		return "", ""
	}
	defer p.leave()
	if p.peek() == 'Q' {
		return p.follow(func() string { name, _ := p.identifier(); return name }), ""
	}
	if p.templateComes() {
		return p.template(), ""
	}
	length := p.number()
	if length == 0 || length > len(p.text)-p.at {
		return p.fail(), ""
	}
	end := p.at + length
	if p.templateComes() && length >= 5 {
		name = p.template()
		if p.at != end {
			p.fail()
		}
		return name, ""
	}
	word := p.text[p.at:end]
	p.at = end
	if fakeParent(word) {
		return p.identifier()
	}
	if about = artificial[word]; about != "" && p.peek() == 'Z' {
		return "", about
	}
	return p.special(word), ""
}

// fakeParent recognizes __S and a number: what tells declarations of one name in one function apart.
func fakeParent(word string) bool {
	number, ok := strings.CutPrefix(word, "__S")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

func (p *parser) special(word string) string {
	switch {
	case word == "__ctor":
		return "this"
	case word == "__dtor":
		return "~this"
	case word == "__postblit" && p.accept("MFZ"):
		return "this(this)"
	}
	return word
}

// template reads __T or __U, the template's name and its arguments up to Z.
func (p *parser) template() string {
	p.at += len("__T")
	if !p.symbolComes() || p.peek() == '0' {
		return p.fail()
	}
	name, _ := p.identifier()
	arguments := ""
	for n := 0; !p.failed && !p.accept("Z"); n++ {
		if n > 0 {
			arguments += ", "
		}
		arguments = p.join(arguments, p.argument())
	}
	if p.show&TemplateArguments == 0 {
		return name
	}
	return p.join(name, "!(", arguments, ")")
}

// argument reads one argument of a template; H marks that it is matched by a specialization.
func (p *parser) argument() string {
	p.accept("H")
	switch p.next() {
	case 'S':
		if strings.HasPrefix(p.text[p.at:], "_D") {
			return p.mangled()
		}
		return p.qualified(false)
	case 'T':
		return p.typed()
	case 'V':
		kind := p.peek()
		if kind == 'Q' {
			kind = p.referred()
		}
		return p.value(p.typed(), kind)
	case 'X':
		length := p.number()
		if length > len(p.text)-p.at {
			return p.fail()
		}
		p.at += length
		return p.text[p.at-length : p.at]
	}
	return p.fail()
}
