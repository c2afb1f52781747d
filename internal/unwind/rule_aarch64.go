package unwind

// aarch64 is arm64 (DWARF for the Arm 64-bit Architecture, section 4.1): DWARF numbers x29 29, sp 31 and pc 32. Its call
// instruction leaves the return address in the link register, x30, and that is where it is by default. Each function that
// makes calls saves it somewhere, maybe signed by instructions for pointer authentication.
var aarch64 = machine{fp: 29, sp: 31, pc: 32, ra: RAFromLR, signs: true}
