package dlang

import (
	"fmt"
	"strconv"
	"strings"
)

// value reads a value of a type, of which the words and the first letter are known.
func (p *parser) value(typed string, kind byte) string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	if isDigit(p.peek()) { // before the i was prescribed
		return p.integer(kind)
	}
	switch p.next() {
	case 'n':
		return "null"
	case 'N':
		return p.join("-", p.integer(kind))
	case 'i':
		return p.integer(kind)
	case 'e':
		return p.real()
	case 'c':
		first := p.real()
		if !p.accept("c") {
			return p.fail()
		}
		return p.join(first, "+", p.real(), "i")
	case 'a', 'w', 'd':
		p.at--
		return p.literal()
	case 'A':
		if kind == 'H' {
			return p.values("[", "]", true)
		}
		return p.values("[", "]", false)
	case 'S':
		return p.values(typed+"(", ")", false)
	case 'f':
		return p.mangled()
	}
	return p.fail()
}

// integer writes a number as the source would, by its type: 42uL, 'a', true.
func (p *parser) integer(kind byte) string {
	digits := p.digits()
	switch kind {
	case 'a', 'u', 'w':
		return p.character(digits, kind)
	case 'b':
		if strings.Trim(digits, "0") == "" {
			return "false"
		}
		return "true"
	}
	suffix := map[byte]string{'h': "u", 't': "u", 'k': "u", 'l': "L", 'm': "uL"}[kind]
	return p.join(digits, suffix)
}

func (p *parser) character(digits string, kind byte) string {
	code, err := strconv.ParseUint(digits, 10, 32)
	switch {
	case err != nil:
		return p.fail()
	case kind == 'a' && ' ' <= code && code <= '~':
		return "'" + string(rune(code)) + "'"
	case kind == 'a':
		return fmt.Sprintf(`'\x%02x'`, code)
	case kind == 'u':
		return fmt.Sprintf(`'\u%04x'`, code)
	}
	return fmt.Sprintf(`'\U%08x'`, code)
}

// real reads a hexadecimal floating-point number.
func (p *parser) real() string {
	switch {
	case p.accept("NAN"):
		return "NaN"
	case p.accept("INF"):
		return "Inf"
	case p.accept("NINF"):
		return "-Inf"
	}
	words := ""
	if p.accept("N") {
		words = "-"
	}
	mantissa := p.hexDigits()
	if mantissa == "" || !p.accept("P") {
		return p.fail()
	}
	words = p.join(words, "0x", mantissa[:1], ".", mantissa[1:], "p")
	if p.accept("N") {
		words += "-"
	}
	return p.join(words, p.digits())
}

func (p *parser) hexDigits() string {
	start := p.at
	for isDigit(p.peek()) || 'A' <= p.peek() && p.peek() <= 'F' || 'a' <= p.peek() && p.peek() <= 'f' {
		p.at++
	}
	return p.text[start:p.at]
}

// escapes are the characters that a literal spells.
var escapes = map[byte]string{'\t': `\t`, '\n': `\n`, '\r': `\r`, '\f': `\f`, '\v': `\v`}

// literal reads a string: the width of its characters, how many bytes they are, and those in hexadecimal.
func (p *parser) literal() string {
	width := p.next()
	length := p.number()
	if !p.accept("_") || 2*length > len(p.text)-p.at {
		return p.fail()
	}
	var words strings.Builder
	words.WriteByte('"')
	for range length {
		pair := p.text[p.at : p.at+2]
		p.at += 2
		code, err := strconv.ParseUint(pair, 16, 8)
		b := byte(code)
		switch {
		case err != nil:
			return p.fail()
		case escapes[b] != "":
			words.WriteString(escapes[b])
		case ' ' <= b && b <= '~':
			words.WriteByte(b)
		default:
			words.WriteString(`\x` + pair)
		}
	}
	words.WriteByte('"')
	if width != 'a' {
		words.WriteByte(width)
	}
	return p.join(words.String())
}

// values reads a count and so many values, or pairs of a key and a value.
func (p *parser) values(open, shut string, pairs bool) string {
	words := open
	for n := range p.number() {
		if n > 0 {
			words += ", "
		}
		words = p.join(words, p.value("", 0))
		if pairs {
			words = p.join(words, ":", p.value("", 0))
		}
		if p.failed {
			return ""
		}
	}
	return p.join(words, shut)
}
