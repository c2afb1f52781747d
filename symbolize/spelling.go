package symbolize

import "strings"

// DWARF has the plain names of C++ as the compiler writes them, which is not how a demangler writes the same function:
//
//	nm                               demangled                         gcc's DWARF        clang's
//	_ZN12_GLOBAL__N_14takeIlEPvT_    (anonymous namespace)::take<long> take<long int>     take<long>
//	_ZN12_GLOBAL__N_11SltIlEEbT_     …::S::operator< <long>            operator< <long int>
//	_ZN12_GLOBAL__N_13boxILm3EEEPvv  (anonymous namespace)::box<3ul>   box<3>             box<3UL>
//
// Template arguments differ in more ways than one can list: constants, typedefs, const before and after. So a plain name
// and a symbol are the same function's if they agree without them; and the inlined calls, which have no symbol, are at
// least shown with the demangler's spelling of integers. gcc has no name for the class of a lambda; a class without a name
// that can be called is one.

// spelling turns gcc's spelling into the demangler's. The longest come first.
var spelling = strings.NewReplacer(
	"{unnamed}::operator()", "{lambda}::operator()",
	"long long unsigned int", "unsigned long long", "long long int", "long long",
	"long unsigned int", "unsigned long", "long int", "long",
	"short unsigned int", "unsigned short", "short int", "short",
)

// plain is how the style shows a name without a mangled one.
func (s Style) plain(name string) string {
	if s == Short {
		name = withoutArguments(name)
	}
	return spelling.Replace(name)
}

// baseName is the last part of a name, without template arguments. All conversions have the same, "operator ", since
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

// allocates reports whether an operator with a space in its name is no conversion.
func allocates(operator string) bool {
	return strings.HasPrefix(operator, "operator new") || strings.HasPrefix(operator, "operator delete")
}

// withoutArguments leaves the template arguments out of a name.
func withoutArguments(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	var kept strings.Builder
	for i := 0; i < len(name); {
		end := i + 1
		if length := operatorAt(name, i); length > 0 {
			end = i + length
		} else if name[i] == '<' && !startsPart(name, i) {
			i = pastBrackets(name, i)
			continue
		} else if strings.HasPrefix(name[i:], " <") {
			i++
			continue
		}
		kept.WriteString(name[i:end])
		i = end
	}
	return kept.String()
}

// startsPart reports whether a part of a name starts at an index. A part in angle brackets, as in <T as Trait>::f of Rust
// and in ~<lambda>, is no list of arguments.
func startsPart(name string, at int) bool {
	return at == 0 || name[at-1] == ':' || name[at-1] == '~'
}

// angled are the operators with angle brackets in their names; the longest come first.
var angled = []string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}

// operatorAt is the length of the operator's name at an index that has angle brackets, 0 if there is none.
func operatorAt(name string, at int) int {
	const word = "operator"
	if !startsPart(name, at) || !strings.HasPrefix(name[at:], word) {
		return 0
	}
	for _, symbol := range angled {
		if strings.HasPrefix(name[at+len(word):], symbol) {
			return len(word) + len(symbol)
		}
	}
	return 0
}

// pastBrackets is the index behind the bracket that closes the one at an index. Those of expressions and arrows, as in
// f<(3>2)> and f<fn() -> u8>, do not count.
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
