package flame

import "strings"

// longestArguments is how much of a template's arguments is worth reading.
const longestArguments = 24

// ShortName returns a function's name in short: a Go name without its import path, a C++ name without its result and
// parameters, and without template arguments that are longer than a few words.
func ShortName(name string) string {
	if strings.HasPrefix(name, "operator") {
		return name
	}
	short := withoutParameters(name)
	if plain, _, _ := strings.Cut(short, "["); !strings.Contains(plain, "::") {
		slash := strings.LastIndexByte(plain, '/')
		return short[slash+1:]
	}
	return withoutLongArguments(withoutResult(short))
}

// withoutParameters cuts a C++ name before its parameter list: the last group of parentheses that is not within a
// template's arguments. A Go receiver is not a parameter list: something follows it.
func withoutParameters(name string) string {
	trimmed := strings.TrimSuffix(name, " const")
	if !strings.HasSuffix(trimmed, ")") || strings.HasSuffix(trimmed, "::operator()") {
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

// withoutLongArguments puts an ellipsis in the place of each long list of template arguments.
func withoutLongArguments(name string) string {
	var short strings.Builder
	depth, kept := 0, 0 // name[:kept] is dealt with
	for i := range len(name) {
		switch name[i] {
		case '<':
			if depth == 0 {
				short.WriteString(name[kept : i+1])
				kept = i + 1
			}
			depth++
		case '>':
			depth--
			if depth == 0 && i-kept > longestArguments {
				short.WriteString("…")
				kept = i
			}
		}
	}
	short.WriteString(name[kept:])
	return short.String()
}
