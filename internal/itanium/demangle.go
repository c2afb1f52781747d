package itanium

import (
	"strings"
	"sync"
)

// Show is the parts of a name that are wanted besides its scopes and the function's own.
type Show uint8

// The parts of names.
const (
	TemplateArguments Show = 1 << iota
	Parameters             // and return types of function templates, and qualifiers; those of lambdas are always shown
)

// What is believed of a name. Those of real programs stay far below.
const (
	depthLimit  = 48
	stepLimit   = 1 << 12 // types
	bufferLimit = 1 << 16 // bytes
	nameLimit   = 1 << 13 // bytes of the result
)

// parser reads one name.
type parser struct {
	rest   string
	show   Show
	failed bool
	depth  int
	steps  int

	buffer []byte // of all texts
	subs   []text // what S_, S0_, S1_ and so on stand for
	lists  []text // template arguments, and the elements of packs

	scope   scope
	scopes  int32 // how many there were
	element int   // of a pack that is being expanded; -1 outside
	packed  int   // the elements of that pack; -1 while it is unknown
}

// scope is what template parameters refer to.
type scope struct {
	id        int32 // 0: nothing
	arguments list
	lambda    bool // parameters that are auto
	inner     bool // of a lambda in another scope
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

// Demangle makes a name readable. It reports false if the name is not of the usual kinds, or none of C++.
func Demangle(mangled string, show Show) (string, bool) {
	if len(mangled) < 4 || mangled[:2] != "_Z" || oldRust(mangled) {
		return "", false
	}
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	*p = parser{rest: mangled[2:], show: show, buffer: p.buffer[:0], subs: p.subs[:0], lists: p.lists[:0], element: -1}
	t := p.encoding(false)
	if show&Parameters != 0 && p.rest != "" && p.rest[0] != '.' {
		p.fail()
	}
	if p.failed || t.high-t.low > nameLimit {
		return "", false
	}
	return string(p.buffer[t.low:t.high]), true
}

// oldRust reports whether a name may be one of Rust's older mangling, whose last part is a hash.
func oldRust(mangled string) bool {
	if end := strings.LastIndex(mangled, "E."); end > 0 {
		mangled = mangled[:end+1]
	}
	return len(mangled) > 23 && mangled[len(mangled)-20:len(mangled)-17] == "17h"
}

// enter counts a level of nesting, until leave, and reports whether there may be so many.
func (p *parser) enter() bool {
	if p.depth++; p.depth > depthLimit {
		p.fail()
	}
	return !p.failed
}

func (p *parser) leave() { p.depth-- }

// fail gives up: from now on there is nothing left to read.
func (p *parser) fail() { p.failed, p.rest = true, "" }

// peek is the next character, 0 at the end.
func (p *parser) peek() byte {
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// next is the character after the next one, 0 if there is none.
func (p *parser) next() byte {
	if len(p.rest) < 2 {
		return 0
	}
	return p.rest[1]
}

// take goes past the next character if it is the given one.
func (p *parser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *parser) expect(c byte) {
	if !p.take(c) {
		p.fail()
	}
}

// number reads a decimal number.
func (p *parser) number() int {
	if !isDigit(p.peek()) {
		p.fail()
	}
	n := 0
	for isDigit(p.peek()) {
		if n = n*10 + int(p.rest[0]-'0'); n > bufferLimit {
			p.fail()
			return 0
		}
		p.rest = p.rest[1:]
	}
	return n
}

// index reads what follows T and a lambda: _ for 0, 0_ for 1 and so on.
func (p *parser) index() int {
	if p.take('_') {
		return 0
	}
	n := p.number()
	p.expect('_')
	return n + 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
