package symbolize

import "github.com/ianlancetaylor/demangle"

// Style is how much of a C++ or Rust name is shown. The names in quotes are what pprof's -symbolize=demangle= calls
// them. Of a generic Go function, Short shows no type arguments (Map[...]) and the others all (Map[go.shape.int]); the
// latter is what runtime/pprof writes, and the former what Go prints after a panic.
type Style uint8

// The styles. Templates, the zero value, is the default.
const (
	// Templates ("templates") keeps template arguments and drops parameters and return types. It is the default: that
	// std::vector<Session> grows says what leaks, which std::vector does not; parameter types say little about memory
	// and much about line width.
	Templates Style = iota
	Short           // "default": neither template arguments nor parameters
	Full            // "full": everything but clone suffixes
	Mangled         // "none": the system name
)

// Names longer than this are left mangled, and no demangled name is longer: the demangler recurses into what it reads,
// and a short name can expand without end.
const (
	mangledLimit   = 1 << 14
	demangledShift = 14
)

var styleOptions = [...][]demangle.Option{
	Templates: {demangle.NoParams, demangle.NoEnclosingParams, demangle.MaxLength(demangledShift)},
	Short: {demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams,
		demangle.MaxLength(demangledShift)},
	Full: {demangle.NoClones, demangle.MaxLength(demangledShift)},
}

// readable demangles a system name; what is not mangled comes back as it is.
func (s Style) readable(systemName string) string {
	if int(s) >= len(styleOptions) || len(systemName) > mangledLimit {
		return systemName
	}
	return demangle.Filter(systemName, styleOptions[s]...)
}

// goName chooses between a generic function's symbol and the form in which Go prints it; others have only one name.
func (s Style) goName(symbol, printed string) string {
	if s == Short {
		return printed
	}
	return symbol
}
