package flame

import "strings"

// ShortName is a function's name as one reads it: a Go name without its import path, a C++ name without what it returns
// and takes.
func ShortName(name string) string {
	if strings.HasPrefix(name, "operator") {
		return name
	}
	short := withoutParameters(name)
	if plain, _, _ := strings.Cut(short, "["); !strings.Contains(plain, "::") {
		slash := strings.LastIndexByte(plain, '/')
		return short[slash+1:]
	}
	return withoutResult(short)
}

// withoutParameters cuts a C++ name before its parameter list: the last group of parentheses that is not within a
// template's arguments. A Go receiver is not a parameter list: something follows it.
func withoutParameters(name string) string {
	trimmed := strings.TrimSuffix(name, " const")
	if !strings.HasSuffix(trimmed, ")") {
		return name
	}
	depth := 0
	for i := len(trimmed) - 1; i > 0; i-- {
		switch trimmed[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			return trimmed[:i]
		}
	}
	return name
}

// withoutResult cuts a C++ name after its last space that is not within a template's arguments or parentheses.
func withoutResult(name string) string {
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case '>', ')', '}', ']':
			depth++
		case '<', '(', '{', '[':
			depth--
		case ' ':
			if depth == 0 {
				return name[i+1:]
			}
		}
	}
	return name
}
