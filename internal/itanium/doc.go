// Package itanium makes the linker's names of C++ functions readable, those of the usual kinds, and leaves the others to
// a general demangler: github.com/ianlancetaylor/demangle, whose words it uses to the letter.
//
// A general demangler builds a tree, as a name can be anything: expressions, array types, conversion operators whose type
// is known only later. It copies parts of the tree for every substitution, and takes 15 µs for a name. But nearly all
// names of a program are made of scopes, templates and the types around them, and the readable form of such a part is a
// piece of text that stays the same wherever it is used again (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling):
//
//	_ZNKSt6vectorI3FooSaIS0_EE4sizeEv
//	   │ └┬──────┘ └┬┘│ └┬┘  └┬────┘ └ parameters
//	   │ std::vector│ │ Foo   size
//	   const        Foo└ std::allocator
//
// So this reader keeps texts in one buffer: each part of a name is put together from those it consists of, at the end of
// the buffer, and a substitution (S0_) or a template parameter (T_) is a reference to a text that is there already.
//
// The invariant: a name is made readable exactly as the general demangler would, or not at all. Where the text of a part
// depends on where it stands (a parameter of another template, a pack) or the general demangler has ways of its own, this
// one gives up. The tests compare the two.
//
// Names may be hostile: depth, steps and the size of the buffer are bounded.
//
// Deliberately absent: expressions but one kind, arrays, pointers to members, conversion operators, unnamed types, constraints,
// modules, virtual tables and thunks, and what no C++ compiler of today writes.
package itanium
