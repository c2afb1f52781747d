package symbolize

import (
	"debug/dwarf"
	"strings"
)

// names finds out what the functions of a file are called. An entry that has code seldom has its own name: an inlined
// call points at the function's abstract instance, that one or an out-of-line method at its declaration in the class,
// and which class and namespaces that is in only the enclosing entries tell. C++ compilers spare us the latter by giving
// the mangled name, but not for functions that only their own file sees: those of anonymous namespaces, local classes
// and lambdas. For them the walk through a unit writes down the enclosing names.
//
// A function in another unit than the one that refers to it (link-time optimization) keeps its plain name.
type names struct {
	found      map[dwarf.Offset]name
	outer      map[dwarf.Offset]int // the enclosure of a function that has a plain name only
	enclosures []enclosure          // enclosures[0] is the unit itself
	qualified  bool                 // the unit's language has qualified names
}

// enclosure is a namespace, class or function, and what it lies in.
type enclosure struct {
	outer int
	name  string
}

// name is what the entries say about one function.
type name struct {
	plain, linkage string
	entry          dwarf.Offset // of the plain name
	startLine      int
}

// attrMIPSLinkageName is DW_AT_linkage_name before DWARF 4; debug/dwarf has no name for it.
const attrMIPSLinkageName dwarf.Attr = 0x2007

// originLimit is the longest chain of references between entries that is followed.
const originLimit = 16

// qualifiedLanguages are those whose names are joined with "::" (C++ 98, 03, 11, 14, 17 and 20, and Rust).
var qualifiedLanguages = map[int64]bool{0x04: true, 0x19: true, 0x1a: true, 0x21: true, 0x2a: true, 0x2b: true, 0x1c: true}

func (n *names) beginUnit(root *dwarf.Entry) {
	language, _ := root.Val(dwarf.AttrLanguage).(int64)
	*n = names{
		found:      make(map[dwarf.Offset]name),
		outer:      make(map[dwarf.Offset]int),
		enclosures: []enclosure{{}},
		qualified:  qualifiedLanguages[language],
	}
}

// enter notes an entry inside an enclosure and returns the one for the entry's children.
func (n *names) enter(entry *dwarf.Entry, outer int) int {
	if !n.qualified {
		return 0
	}
	plain, _ := entry.Val(dwarf.AttrName).(string)
	switch entry.Tag {
	case dwarf.TagNamespace:
		if plain == "" {
			plain = "(anonymous namespace)"
		}
	case dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType:
		if plain == "" {
			plain = "{unnamed}"
		}
	case dwarf.TagSubprogram:
		if plain != "" && outer != 0 && linkageName(entry) == "" {
			n.outer[entry.Offset] = outer
		}
	default:
		return outer
	}
	if plain == "" || !entry.Children {
		return outer
	}
	n.enclosures = append(n.enclosures, enclosure{outer, plain})
	return len(n.enclosures) - 1
}

// qualify puts the names around an entry before its plain name.
func (n *names) qualify(plain string, outer int) string {
	for ; outer != 0 && len(plain) < mangledLimit; outer = n.enclosures[outer].outer {
		plain = n.enclosures[outer].name + "::" + plain
	}
	return plain
}

func linkageName(entry *dwarf.Entry) string {
	for _, attribute := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName} {
		if linkage, _ := entry.Val(attribute).(string); linkage != "" {
			return linkage
		}
	}
	return ""
}

// name is what the function of an entry is called, and where it begins; places are left to the caller.
func (s *search) name(entry dwarf.Offset) Line {
	found, ok := s.names.found[entry]
	if !ok {
		found = s.followOrigins(entry)
		s.names.found[entry] = found
	}
	line := Line{SystemName: found.linkage, StartLine: found.startLine}
	if found.linkage != "" {
		line.Function = s.style.readable(found.linkage)
		return line
	}
	line.SystemName = found.plain
	line.Function = s.names.qualify(found.plain, s.names.outer[found.entry])
	return line
}

// followOrigins collects a name along the references from an entry: the first of each kind counts.
func (s *search) followOrigins(offset dwarf.Offset) (found name) {
	reader := s.debug.data.Reader()
	for range originLimit {
		reader.Seek(offset)
		entry, err := reader.Next()
		if err != nil || entry == nil {
			return found
		}
		found.add(entry)
		next, ok := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			next, ok = entry.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok || found.linkage != "" && found.startLine != 0 {
			return found
		}
		offset = next
	}
	return found
}

func (n *name) add(entry *dwarf.Entry) {
	if n.plain == "" {
		n.plain, _ = entry.Val(dwarf.AttrName).(string)
		n.entry = entry.Offset
	}
	if n.linkage == "" {
		n.linkage = linkageName(entry)
	}
	if n.startLine == 0 {
		n.startLine = number(entry, dwarf.AttrDeclLine)
	}
}

// askSymbol takes the name of a function that has only a plain one from the symbol that covers it, if they agree.
func (s *search) askSymbol(line *Line, address uint64) {
	symbol := s.symbols.covering(address)
	if symbol == nil {
		return
	}
	mangled, _, _ := strings.Cut(symbol.name, ".") // without .cold, .part.0 and the like
	readable := s.style.readable(mangled)
	if readable != mangled && strings.Contains(readable, line.SystemName) {
		line.Function, line.SystemName = readable, mangled
	}
}
