package dwarf

// tag is what an entry describes (7.5.3).
type tag uint16

const (
	tagArrayType         tag = 0x01
	tagClassType         tag = 0x02
	tagEntryPoint        tag = 0x03
	tagEnumerationType   tag = 0x04
	tagLexicalBlock      tag = 0x0b
	tagCompileUnit       tag = 0x11
	tagStructureType     tag = 0x13
	tagSubroutineType    tag = 0x15
	tagUnionType         tag = 0x17
	tagInlinedSubroutine tag = 0x1d
	tagModule            tag = 0x1e
	tagWithStmt          tag = 0x22
	tagCatchBlock        tag = 0x25
	tagSubprogram        tag = 0x2e
	tagTryBlock          tag = 0x32
	tagNamespace         tag = 0x39
	tagPartialUnit       tag = 0x3c
	tagCallSite          tag = 0x48
	tagSkeletonUnit      tag = 0x4a
	tagGNUCallSite       tag = 0x4109
)

// isBlock reports whether the entry is a part of a function's body that can have inlined calls in it.
func (t tag) isBlock() bool {
	return t == tagLexicalBlock || t == tagTryBlock || t == tagCatchBlock || t == tagWithStmt
}

// holdsNoCode reports whether there are only parameters, bounds and values among the entry's children.
func (t tag) holdsNoCode() bool {
	switch t {
	case tagArrayType, tagEnumerationType, tagSubroutineType, tagCallSite, tagGNUCallSite:
		return true
	}
	return false
}

// isNamed reports whether more is read of the entries than the walk needs.
func (t tag) isNamed() bool {
	switch t {
	case tagCompileUnit, tagPartialUnit, tagSkeletonUnit, tagSubprogram, tagInlinedSubroutine, tagEntryPoint, tagNamespace,
		tagClassType, tagStructureType, tagUnionType:
		return true
	}
	return false
}

// attrName is what an attribute says (7.5.4).
type attrName uint16

const (
	attrSibling         attrName = 0x01
	attrPlainName       attrName = 0x03
	attrStmtList        attrName = 0x10
	attrLowPC           attrName = 0x11
	attrHighPC          attrName = 0x12
	attrLanguage        attrName = 0x13
	attrCompDir         attrName = 0x1b
	attrAbstractOrigin  attrName = 0x31
	attrDeclLine        attrName = 0x3b
	attrSpecification   attrName = 0x47
	attrRanges          attrName = 0x55
	attrCallColumn      attrName = 0x57
	attrCallFile        attrName = 0x58
	attrCallLine        attrName = 0x59
	attrLinkageName     attrName = 0x6e
	attrStrOffsetsBase  attrName = 0x72
	attrAddrBase        attrName = 0x73
	attrRnglistsBase    attrName = 0x74
	attrDwoName         attrName = 0x76
	attrMIPSLinkageName attrName = 0x2007
	attrGNUDwoName      attrName = 0x2130
	attrGNUDwoID        attrName = 0x2131
	attrGNURangesBase   attrName = 0x2132
	attrGNUAddrBase     attrName = 0x2133
)

// isOfCalls reports whether the walk needs the attribute of a function or of an inlined call.
func (n attrName) isOfCalls() bool {
	switch n {
	case attrLowPC, attrHighPC, attrRanges, attrCallFile, attrCallLine, attrCallColumn:
		return true
	}
	return false
}

// scopedLanguage reports whether a language is one of those whose names are joined with "::": C++ 98, 03, 11, 14, 17 and 20, and Rust.
func scopedLanguage(language uint64) bool {
	switch language {
	case 0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b, 0x1c:
		return true
	}
	return false
}
