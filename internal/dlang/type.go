package dlang

// basic are the types of one letter.
var basic = map[byte]string{
	'v': "void", 'g': "byte", 'h': "ubyte", 's': "short", 't': "ushort", 'i': "int", 'k': "uint", 'l': "long", 'm': "ulong",
	'f': "float", 'd': "double", 'e': "real", 'o': "ifloat", 'p': "idouble", 'j': "ireal", 'q': "cfloat", 'r': "cdouble",
	'c': "creal", 'b': "bool", 'a': "char", 'u': "wchar", 'w': "dchar", 'n': "typeof(null)",
}

// typed reads a type.
func (p *parser) typed() string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	if p.peek() == 'Q' {
		return p.follow(p.typed)
	}
	b := p.peek()
	if convention(b) != "" {
		return p.functionType()
	}
	p.next()
	switch b {
	case 'O':
		return p.join("shared(", p.typed(), ")")
	case 'x':
		return p.join("const(", p.typed(), ")")
	case 'y':
		return p.join("immutable(", p.typed(), ")")
	case 'N':
		return p.typedN()
	case 'A':
		return p.join(p.typed(), "[]")
	case 'G':
		length := p.digits()
		return p.join(p.typed(), "[", length, "]")
	case 'H':
		key := p.typed()
		return p.join(p.typed(), "[", key, "]")
	case 'P':
		if convention(p.peek()) != "" {
			return p.join(p.functionType(), "function")
		}
		return p.join(p.typed(), "*")
	case 'D':
		return p.delegate()
	case 'I', 'C', 'S', 'E', 'T':
		return p.qualified(false)
	case 'B':
		return p.tuple()
	case 'z':
		return p.wide()
	}
	if word, ok := basic[b]; ok {
		return word
	}
	return p.fail()
}

func (p *parser) typedN() string {
	switch p.next() {
	case 'g':
		return p.join("inout(", p.typed(), ")")
	case 'h':
		return p.join("__vector(", p.typed(), ")")
	case 'n':
		return "typeof(*null)"
	}
	return p.fail()
}

func (p *parser) wide() string {
	switch p.next() {
	case 'i':
		return "cent"
	case 'k':
		return "ucent"
	}
	return p.fail()
}

// tuple reads types up to Z or, as older compilers wrote it, a number of them.
func (p *parser) tuple() string {
	types, count := "", -1
	if isDigit(p.peek()) {
		count = p.number()
	}
	for n := 0; n != count && !p.failed && (count >= 0 || !p.accept("Z")); n++ {
		if n > 0 {
			types += ", "
		}
		types = p.join(types, p.typed())
	}
	return p.join("Tuple!(", types, ")")
}

func (p *parser) delegate() string {
	modifiers := p.modifiers()
	function := ""
	if p.peek() == 'Q' {
		function = p.follow(p.functionType)
	} else {
		function = p.functionType()
	}
	return p.join(function, "delegate", modifiers)
}

// modifiers reads what a method demands of its object, or a delegate of its context.
func (p *parser) modifiers() string {
	words := ""
	for {
		switch {
		case p.accept("x"):
			return words + " const"
		case p.accept("y"):
			return words + " immutable"
		case p.accept("O"):
			words = p.join(words, " shared")
		case p.accept("Ng"):
			words = p.join(words, " inout")
		default:
			return words
		}
	}
}

// convention is how a function of that letter is called; "" for other letters.
func convention(b byte) string {
	switch b {
	case 'F':
		return "D"
	case 'U':
		return "extern(C) "
	case 'W':
		return "extern(Windows) "
	case 'V':
		return "extern(Pascal) "
	case 'R':
		return "extern(C++) "
	case 'Y':
		return "extern(Objective-C) "
	}
	return ""
}

// functionType reads a function with its return type.
func (p *parser) functionType() string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	call, attributes, parameters := p.function()
	return p.join(call, p.typed(), parameters, " ", attributes)
}

// function reads a calling convention, attributes, and parameters.
func (p *parser) function() (call, attributes, parameters string) {
	b := p.next()
	if call = convention(b); call == "" {
		return p.fail(), "", ""
	}
	if b == 'F' {
		call = ""
	}
	attributes = p.attributes()
	return call, attributes, p.parameterList()
}

var attributeWords = map[byte]string{
	'a': "pure ", 'b': "nothrow ", 'c': "ref ", 'd': "@property ", 'e': "@trusted ", 'f': "@safe ", 'i': "@nogc ",
	'j': "return ", 'l': "scope ", 'm': "@live ",
}

// attributes ends at an N that belongs to the first parameter.
func (p *parser) attributes() string {
	words := ""
	for p.peek() == 'N' {
		word, ok := attributeWords[p.peekAt(1)]
		if !ok {
			break
		}
		p.at += 2
		words = p.join(words, word)
	}
	return words
}

// parameterList ends with Z, or with X or Y if the function is variadic.
func (p *parser) parameterList() string {
	words := "("
	for n := 0; !p.failed; n++ {
		switch {
		case p.accept("X"):
			return p.join(words, "...)")
		case p.accept("Y"):
			if n > 0 {
				words += ", "
			}
			return p.join(words, "...)")
		case p.accept("Z"):
			return p.join(words, ")")
		}
		if n > 0 {
			words += ", "
		}
		words = p.join(words, p.parameter())
	}
	return ""
}

func (p *parser) parameter() string {
	words := ""
	for range 2 { // in either order
		if p.accept("M") {
			words += "scope "
		} else if p.accept("Nk") {
			words += "return "
		}
	}
	switch {
	case p.accept("I"):
		words += "in "
		if p.accept("K") {
			words += "ref "
		}
	case p.accept("J"):
		words += "out "
	case p.accept("K"):
		words += "ref "
	case p.accept("L"):
		words += "lazy "
	}
	return p.join(words, p.typed())
}
