package symbolize

import "strings"

// DWARF has the plain names of C++ in the compiler's spelling, which differs from the demangler's:
//
//	nm                               demangled                         gcc's DWARF        clang's
//	_ZN12_GLOBAL__N_14takeIlEPvT_    (anonymous namespace)::take<long> take<long int>     take<long>
//	_ZN12_GLOBAL__N_11SltIlEEbT_     …::S::operator< <long>            operator< <long int>
//	_ZN12_GLOBAL__N_13boxILm3EEEPvv  (anonymous namespace)::box<3ul>   box<3>             box<3UL>
//
// Template arguments differ in more ways than one can list: constants, typedefs, const before and after. So a plain name
// and a symbol are the same function's if they agree without them; and the inlined calls, which have no symbol, are at
// least shown with the demangler's spelling of integers. gcc has no name for the class of a lambda, so a class without a
// name that can be called counts as one.

// spellings are gcc's and the demangler's, in the order in which they are looked for: the longest first.
var spellings = [...][2]string{
	{"{unnamed}::operator()", "{lambda}::operator()"},
	{"long long unsigned int", "unsigned long long"}, {"long long int", "long long"},
	{"long unsigned int", "unsigned long"}, {"long int", "long"},
	{"short unsigned int", "unsigned short"}, {"short int", "short"},
}

// plain returns a name without a mangled form in the style's form.
func (s Style) plain(name string) string {
	if s == Short {
		name = withoutArguments(name)
	}
	return spelled(name)
}

// spelled returns a name in the demangler's spelling. Most names are spelled so already, which two words tell. A
// strings.Replacer takes several times as long.
func spelled(name string) string {
	if !strings.Contains(name, " int") && !strings.Contains(name, "{unnamed}") {
		return name
	}
	for _, s := range spellings {
		name = strings.ReplaceAll(name, s[0], s[1])
	}
	return name
}

// baseName returns the last part of a name, without template arguments. All conversions have the same, "operator ", since
// their types are spelled in as many ways as template arguments.
func baseName(name string) string {
	name = withoutArguments(name)
	for from := 0; ; {
		at := strings.Index(name[from:], "operator ")
		if at < 0 {
			return name[strings.LastIndexByte(name, ':')+1:]
		}
		if from += at; startsPart(name, from) && !allocates(name[from:]) {
			return "operator "
		}
		from += len("operator ")
	}
}

// allocates reports whether an operator with a space in its name is new or delete, not a conversion.
func allocates(operator string) bool {
	return strings.HasPrefix(operator, "operator new") || strings.HasPrefix(operator, "operator delete")
}

// withoutArguments leaves the template arguments out of a name.
func withoutArguments(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	var kept strings.Builder
	for from := 0; ; {
		offset := strings.IndexByte(name[from:], '<')
		if offset < 0 {
			kept.WriteString(name[from:])
			return kept.String()
		}
		first, end := argumentsAt(name, from, from+offset)
		kept.WriteString(name[from:first])
		from = end
	}
}

// argumentsAt returns where the arguments begin that a bracket opens, with the space before them, and where they end. For the
// bracket of an operator or of a part, it returns twice where that ends. What is before from has been looked at.
func argumentsAt(name string, from, bracket int) (first, end int) {
	if operator := bracket - len(operatorWord); operator >= from {
		if length := operatorAt(name, operator); length > 0 {
			return operator + length, operator + length
		}
	}
	if startsPart(name, bracket) {
		return bracket + 1, bracket + 1
	}
	first = bracket
	if first > from && name[first-1] == ' ' {
		first--
	}
	return first, pastBrackets(name, bracket)
}

// startsPart reports whether a part of a name starts at an index. A part in angle brackets, as in <T as Trait>::f of Rust
// and in ~<lambda>, is not a list of arguments.
func startsPart(name string, at int) bool {
	return at == 0 || name[at-1] == ':' || name[at-1] == '~'
}

// angled are the operators with angle brackets in their names; the longest come first.
var angled = []string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}

const operatorWord = "operator"

// operatorAt returns the length of the operator with angle brackets at an index, 0 if there is none.
func operatorAt(name string, at int) int {
	if !startsPart(name, at) || !strings.HasPrefix(name[at:], operatorWord) {
		return 0
	}
	for _, symbol := range angled {
		if strings.HasPrefix(name[at+len(operatorWord):], symbol) {
			return len(operatorWord) + len(symbol)
		}
	}
	return 0
}

// pastBrackets returns the index after the bracket that closes the one at an index. Brackets of expressions and arrows, as
// in f<(3>2)> and f<fn() -> u8>, do not count.
func pastBrackets(name string, at int) int {
	angles, rounds := 0, 0
	for ; at < len(name); at++ {
		switch name[at] {
		case '(':
			rounds++
		case ')':
			rounds--
		case '<':
			if rounds == 0 {
				angles++
			}
		case '>':
			if rounds == 0 && name[at-1] != '-' {
				angles--
			}
		}
		if angles == 0 {
			return at + 1
		}
	}
	return at
}
