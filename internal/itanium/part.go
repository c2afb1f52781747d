package itanium

import "strings"

// unqualified reads a name without scopes and template arguments.
func (p *parser) unqualified() text {
	switch c := p.peek(); {
	case isDigit(c):
		return p.tagged(p.sourceName())
	case isLower(c):
		return p.tagged(p.operator())
	case p.take('L'):
		t := p.sourceName()
		p.discriminator()
		return p.tagged(t)
	case c == 'U' && p.next() == 'l':
		return p.tagged(p.lambda())
	}
	p.fail()
	return text{}
}

// sourceName reads a name with its length in front.
func (p *parser) sourceName() text {
	length := p.number()
	if length == 0 || length > len(p.rest) {
		p.fail()
		return text{}
	}
	written := p.rest[:length]
	p.rest = p.rest[length:]
	if anonymous(written) {
		written = "(anonymous namespace)"
	}
	return p.constant(written)
}

// anonymous reports whether a namespace has got its name from the compiler.
func anonymous(written string) bool {
	rest, ok := strings.CutPrefix(written, "_GLOBAL_")
	return ok && len(rest) > 2 && (rest[0] == '_' || rest[0] == '.' || rest[0] == '$') && rest[1] == 'N'
}

// tagged puts ABI tags behind a name; they are no part of what constructors are called.
func (p *parser) tagged(t text) text {
	for p.take('B') {
		tag := p.sourceName()
		b := p.begin()
		b.put(t)
		own := b.name
		b.write("[abi:")
		b.put(tag)
		b.write("]")
		b.name = own
		t = b.end()
	}
	return t
}

// lambda reads a lambda's type. Its parameters that are auto are template parameters of its own.
func (p *parser) lambda() text {
	p.rest = p.rest[2:]
	outer := p.scope
	p.scopes++
	p.scope = scope{id: p.scopes, lambda: true, inner: outer.id != 0}
	parameters := p.parameters()
	p.scope = outer
	p.expect('E')
	number := p.index() + 1
	b := p.begin()
	b.write("{lambda(")
	b.putList(p.lists[parameters.first:parameters.last])
	b.write(")#")
	b.writeNumber(number)
	b.write("}")
	t := b.end()
	t.name, t.scope = [2]int{t.low, t.high}, 0
	return t
}

func (p *parser) operator() text {
	if len(p.rest) < 2 {
		p.fail()
		return text{}
	}
	written, ok := operators[p.rest[:2]]
	if !ok {
		p.fail()
		return text{}
	}
	p.rest = p.rest[2:]
	return p.constant(written)
}

// operators are those that functions can define, without conversions and literals.
var operators = map[string]string{
	"aN": "operator&=", "aS": "operator=", "aa": "operator&&", "ad": "operator&", "an": "operator&",
	"aw": "operator co_await", "cl": "operator()", "cm": "operator,", "co": "operator~", "dV": "operator/=",
	"da": "operator delete[]", "de": "operator*", "dl": "operator delete", "dv": "operator/", "eO": "operator^=",
	"eo": "operator^", "eq": "operator==", "ge": "operator>=", "gt": "operator>", "ix": "operator[]",
	"lS": "operator<<=", "le": "operator<=", "ls": "operator<<", "lt": "operator<", "mI": "operator-=",
	"mL": "operator*=", "mi": "operator-", "ml": "operator*", "mm": "operator--", "na": "operator new[]",
	"ne": "operator!=", "ng": "operator-", "nt": "operator!", "nw": "operator new", "oR": "operator|=",
	"oo": "operator||", "or": "operator|", "pL": "operator+=", "pl": "operator+", "pm": "operator->*",
	"pp": "operator++", "ps": "operator+", "pt": "operator->", "rM": "operator%=", "rS": "operator>>=",
	"rm": "operator%", "rs": "operator>>", "ss": "operator<=>",
}
