package symbolize

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// garbageOfName is how many bytes the demangler leaves in Go's heap for a name, measured on the names of a database in C++.
const garbageOfName = 2 << 10

// Style is how much of a C++ or Rust name is shown. The names in quotes are what pprof's -symbolize=demangle= calls them.
// Names of Rust have no parameters; in its older mangling, type arguments are part of the name. Of a generic Go function,
// Short shows no type arguments (Map[...]) and the others all (Map[go.shape.int]); the latter is what runtime/pprof
// writes, and the former what Go prints after a panic. The names of other languages, D's among them, are the linker's.
type Style uint8

// The styles. Templates, the zero value, is the default.
const (
	// Templates ("templates") keeps template arguments and drops parameters and return types. It is the default:
	// std::vector<Session> shows what leaks, which std::vector does not; parameter types mostly make lines longer.
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

// glibcOwn is what glibc puts before the names by which it calls its own functions. Where debug data has no other name of them, as
// of getaddrinfo, that is not one of the source.
const glibcOwn = "__GI_"

// readable demangles a system name. It returns a name unchanged if that is not mangled, or would take too much time or
// memory, or become too long.
func (s Style) readable(systemName string) string {
	if int(s) >= len(styleOptions) || explodes(systemName) {
		return systemName
	}
	systemName = strings.TrimPrefix(systemName, glibcOwn)
	name := demangle.Filter(systemName, styleOptions[s]...)
	if name != systemName {
		scratch.Garbage(garbageOfName)
	}
	if len(name) >= 1<<readableShift || name == "" { // the demangler cuts names there; of _RC0 it leaves nothing
		return systemName
	}
	if s == Full && name != systemName {
		name += rustHash(systemName)
	}
	return name
}

// readableAndBare demangles a system name in the style and in Short. A name of C++ with its parameters is parsed once for both:
// parsing takes most of the time.
func (s Style) readableAndBare(systemName string) (readable, bare string) {
	if s == Full && !explodes(systemName) && !strings.Contains(systemName, "17h") { // Rust's names have no tree
		tree, _ := demangle.ToAST(systemName, styleOptions[Full]...)
		if function, ok := tree.(*demangle.Typed); ok {
			scratch.Garbage(garbageOfName)
			readable = demangle.ASTToString(tree, styleOptions[Full]...)
			bare = demangle.ASTToString(function.Name, styleOptions[Short]...)
			if len(readable) < 1<<readableShift {
				return readable, bare
			}
		}
	}
	return demangler(s, systemName), demangler(Short, systemName)
}

// rustHash returns the last part of a name in Rust's older mangling, which distinguishes instances; "" for other names.
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

// The demangler is recursive, and its time and memory are not bounded by the length of a name. It copies a part of its
// tree wherever that part is used again (S1_) if a template parameter (T_) occurs in it, so a name of 350 bytes may double
// the tree 25 times; and it copies the pattern of a pack expansion (Dp, sp) once for each argument of the pack, so that
// time grows with the third power of the length. A demangled name longer than a limit only shows that it was too late.
//
// So each name is checked first. The limits are above what real programs have: of 147,309 names in LLVM, DuckDB,
// JavaScriptCore, Boost and others, the longest has 673 bytes, and 2 stay mangled needlessly.
const (
	mangledLimit = 1 << 12 // the length of a name
	copiesLimit  = 1 << 18 // its length, doubled for every four uses of a part after the first template parameter
	packsLimit   = 1 << 12 // its length times the weights of its pack expansions
	packedLimit  = 1 << 10 // its length if it has one
)

// readableShift is the logarithm of the length that no demangled name reaches.
const readableShift = 14

// explodes reports whether demangling a name may take more than some hundred milliseconds and some hundred megabytes.
func explodes(mangled string) bool {
	if len(mangled) > mangledLimit {
		return true
	}
	if strings.HasPrefix(mangled, "_R") {
		return false // the demangler bounds its work on Rust's names by their length and the result's
	}
	parameters, reused := references(mangled)
	if !parameters {
		return false
	}
	packs := packs(mangled)
	if len(mangled)*packs > packsLimit || packs > 0 && len(mangled) > packedLimit {
		return true
	}
	return reused/4 >= 18 || len(mangled)<<(reused/4) > copiesLimit
}

// packs weighs the pack expansions in a name, and what in identifiers looks like one. The pattern of a plain one is a parameter of a
// template (DpT_, spT0_), so that an argument adds little: the constructor of each std::map's elements has four.
func packs(mangled string) (weight int) {
	for i := range len(mangled) - 1 {
		if mangled[i+1] != 'p' || mangled[i] != 'D' && mangled[i] != 's' {
			continue
		}
		pattern := mangled[i+2:]
		rest := strings.TrimLeft(strings.TrimPrefix(pattern, "T"), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if strings.HasPrefix(pattern, "T") && strings.HasPrefix(rest, "_") && !strings.HasPrefix(rest, "_I") {
			weight++
		} else {
			weight += 8
		}
	}
	return weight
}

// references reports whether a name uses template parameters (T_, T0_), and how many uses of earlier parts (S_, S1A_)
// follow the first. Parts of identifiers that look like references count too.
func references(mangled string) (parameters bool, reused int) {
	parameter, part := false, false // whether a T or an S was seen since the last byte that cannot be in a reference
	for i := range len(mangled) {
		switch c := mangled[i]; {
		case c == 'T':
			parameter = true
		case c == 'S':
			part = true
		case c == '_':
			parameters = parameters || parameter
			if parameters && part {
				reused++
			}
			parameter, part = false, false
		case c < '0' || c > '9' && c < 'A' || c > 'Z':
			parameter, part = false, false
		}
	}
	return parameters, reused
}
