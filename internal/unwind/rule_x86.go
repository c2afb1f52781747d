package unwind

// x86 is amd64 (System V ABI, AMD64 supplement, figure 3.36): DWARF numbers rbp 6, rsp 7 and, standing for the return
// address, rip 16. Its call instruction pushes the return address, so a CIE that does not define its position leaves it
// unknown.
var x86 = machine{fp: 6, sp: 7, pc: 16, ra: RAUnknown}
