package symbolize

import "strings"

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
	packsLimit   = 1 << 9  // its length times the number of its pack expansions
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
	packs := strings.Count(mangled, "Dp") + strings.Count(mangled, "sp") // also in identifiers
	return len(mangled)*packs > packsLimit || reused/4 >= 18 || len(mangled)<<(reused/4) > copiesLimit
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
