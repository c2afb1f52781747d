package symbolize

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Style is how much of a C++ or Rust name is shown. The names in quotes are what pprof's -symbolize=demangle= calls
// them. Names of Rust have no parameters; in those of its older mangling, type arguments are part of the name. Of a generic
// Go function, Short shows no type arguments (Map[...]) and the others all (Map[go.shape.int]); the latter is what
// runtime/pprof writes, and the former what Go prints after a panic. The names of other languages, D's among them, are
// shown as the linker has them.
type Style uint8

// The styles. Templates, the zero value, is the default.
const (
	// Templates ("templates") keeps template arguments and drops parameters and return types. It is the default: that
	// std::vector<Session> grows says what leaks, which std::vector does not; parameter types say little about memory
	// and much about line width.
	Templates Style = iota
	Short           // "default": neither template arguments nor parameters
	Full            // "full": everything but clone suffixes; Rust's hash too
	Mangled         // "none": the system name
)

var styleOptions = [...][]demangle.Option{
	Templates: {demangle.NoParams, demangle.NoEnclosingParams, demangle.MaxLength(readableShift)},
	Short: {demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams,
		demangle.MaxLength(readableShift)},
	Full: {demangle.NoClones, demangle.MaxLength(readableShift)},
}

// readable demangles a system name. What is not mangled is returned as it is, and so is a name that would take too much
// time or memory, or become too long.
func (s Style) readable(systemName string) string {
	if int(s) >= len(styleOptions) || explodes(systemName) {
		return systemName
	}
	name := demangle.Filter(systemName, styleOptions[s]...)
	if len(name) >= 1<<readableShift { // the demangler cuts names there
		return systemName
	}
	if s == Full && name != systemName {
		name += rustHash(systemName)
	}
	return name
}

// rustHash is the last part of a name in Rust's older mangling, which tells instances apart; "" for other names.
func rustHash(systemName string) string {
	const part = len("17h0123456789abcdefE")
	plain, _, _ := strings.Cut(systemName, ".")
	if !strings.HasPrefix(plain, "_ZN") || len(plain) < part {
		return ""
	}
	hash, ok := strings.CutPrefix(plain[len(plain)-part:], "17h")
	if !ok || !strings.HasSuffix(hash, "E") || strings.Trim(hash[:16], "0123456789abcdef") != "" {
		return ""
	}
	return "::h" + hash[:16]
}

// goName chooses between a generic function's symbol and the form in which Go prints it; others have only one name.
func (s Style) goName(symbol, printed string) string {
	if s == Short {
		return printed
	}
	return symbol
}
