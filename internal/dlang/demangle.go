package dlang

import "strings"

// Show says how much of a name is wanted.
type Show uint8

// The parts that can be left out of a name.
const (
	TemplateArguments Show = 1 << iota
	Parameters
)

// Demangle gives the name in the source; false if the symbol is not a D name. No result is longer than 16 KiB.
func Demangle(symbol string, show Show) (string, bool) {
	if symbol == "_Dmain" {
		return "D main", true
	}
	if !strings.HasPrefix(symbol, "_D") {
		return "", false
	}
	p := parser{text: symbol, show: show, lastRef: len(symbol)}
	name := p.mangled()
	if p.failed || p.at != len(symbol) || name == "" {
		return "", false
	}
	return name, true
}

const (
	depthLimit  = 1 << 8
	lengthLimit = 1 << 14
	workLimit   = 1 << 20 // bytes written, the intermediate results counted
)

// parser goes through a name once; each of its methods reads one rule of the grammar and returns it in words. After a
// failure, methods return "" and everything ends.
type parser struct {
	text        string
	at          int
	show        Show
	depth, work int
	lastRef     int // where the back reference lies that is being followed
	failed      bool
}

// fail ends everything.
func (p *parser) fail() string {
	p.failed, p.at = true, len(p.text)
	return ""
}

// enter guards a recursive rule; leave ends it.
func (p *parser) enter() bool {
	if p.depth++; p.depth > depthLimit || p.failed {
		p.fail()
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// join accounts for every byte that is copied.
func (p *parser) join(parts ...string) string {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	p.work += length + 1
	if p.failed || length > lengthLimit || p.work > workLimit {
		return p.fail()
	}
	return strings.Join(parts, "")
}

// peek is the next byte; 0 at the end.
func (p *parser) peek() byte { return p.peekAt(0) }

func (p *parser) peekAt(i int) byte {
	if p.at+i >= len(p.text) {
		return 0
	}
	return p.text[p.at+i]
}

func (p *parser) next() byte {
	b := p.peek()
	if b == 0 {
		p.fail()
		return 0
	}
	p.at++
	return b
}

// accept skips what comes next if it is this.
func (p *parser) accept(prefix string) bool {
	if !strings.HasPrefix(p.text[p.at:], prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

// digits is the number that comes next, as it is written.
func (p *parser) digits() string {
	start := p.at
	for isDigit(p.peek()) {
		p.at++
	}
	if p.at == start {
		return p.fail()
	}
	return p.text[start:p.at]
}

// number is a length or a count, which no name has more of than bytes.
func (p *parser) number() int {
	value := 0
	for _, digit := range []byte(p.digits()) {
		if value = 10*value + int(digit-'0'); value > len(p.text) {
			p.fail()
			return 0
		}
	}
	return value
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// reference reads the number after a Q: digits A to Z, the last one a to z. It says where the reference leads.
func (p *parser) reference() (target int, ok bool) {
	start, distance := p.at, 0
	if !p.accept("Q") {
		return 0, false
	}
	for distance <= len(p.text) {
		b := p.peek()
		p.at++
		switch {
		case 'A' <= b && b <= 'Z':
			distance = 26*distance + int(b-'A')
		case 'a' <= b && b <= 'z':
			distance = 26*distance + int(b-'a')
			return start - distance, distance > 0 && start-distance >= len("_D")
		default:
			return 0, false
		}
	}
	return 0, false
}

// referred says what a reference that comes next leads to: the first byte there; 0 if none comes.
func (p *parser) referred() byte {
	at := p.at
	target, ok := p.reference()
	p.at = at
	if !ok {
		return 0
	}
	return p.text[target]
}

// follow reads a rule where a back reference leads.
func (p *parser) follow(rule func() string) string {
	start := p.at
	target, ok := p.reference()
	if !ok || start >= p.lastRef || !p.enter() {
		return p.fail()
	}
	defer p.leave()
	back, last := p.at, p.lastRef
	p.at, p.lastRef = target, start
	words := rule()
	if !p.failed {
		p.at, p.lastRef = back, last
	}
	return words
}
