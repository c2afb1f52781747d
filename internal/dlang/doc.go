// Package dlang turns the linker's names of D functions into those of the source, by the grammar of
// https://dlang.org/spec/abi.html#name_mangling. A mangled name is a walk from the module inwards:
//
//	_D 3std 5array __T 8Appender T Aya Z Q… 3put M F Aya Z v
//	   std .array .Appender!(immutable(char)[])   .put (immutable(char)[])
//
// Names carry their length, or are templates with arguments, or refer back: Q and a number in base 26, whose last digit is
// lower case, says how far back the same name or type was spelled out. Between two names may stand the parameters of a
// function that the second is local to; at the end stands the type of the whole, of which only the parameters are shown.
// The words are those of binutils, which is the second road in the tests.
//
// The names may be hostile, and back references make short names expand without end. So depth and the bytes written while
// demangling are bounded, a back reference may only meet such as come before it, and a name that is not of the grammar to
// its last byte is not demangled at all.
//
// Deliberately absent: template symbols before 2018, whose length prefixes were ambiguous.
package dlang
