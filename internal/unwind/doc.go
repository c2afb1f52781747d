// Package unwind turns a module's .eh_frame into rows: for each address of code, how a walker gets from the registers in
// that frame to its caller's. It runs outside of malloc. Package cgo walks by its rows, and before they exist finds the few
// rules that it needs in memory.
//
// Compilers describe every function by a program for a small machine: a CIE holds what many functions share, an FDE a
// range of addresses and instructions that move through it. Build runs all programs once and keeps their results for the
// CFA, the caller's frame pointer and the return address, the three equations of a Rule:
//
//	.eh_frame                            PCs      Rules    Set
//	CIE  cfa = rsp+8, ra = *(cfa-8)      0x0000   2  ───┐  0  CFANone
//	FDE  0x1000 … 0x1020            ┌──▶ 0x0001   3     │  1  CFAUnknown
//	     push %rbp: cfa = rsp+16    │    0x0004   4     └▶ 2  cfa = sp+8,  fp,           ra = *(cfa-8)
//	     mov: cfa = rbp+16    ──────┘    0x001f   2        3  cfa = sp+16, fp = *(cfa-16), ra = *(cfa-8)
//	     leave: cfa = rsp+8              0x0020   0        4  cfa = fp+16, fp = *(cfa-16), ra = *(cfa-8)
//
// A row costs 6 bytes and holds up to the next one; a look-up is one binary search. Code repeats itself: the 34,000 rows
// of libstdc++ share 134 rules, so rules live in a set and rows only number them.
//
// PCs ascend strictly, neighbours differ, every number in Rules is an index of Set, and the last row is CFANone: a look-up
// only has to check whether the address is below the first row. What a rule cannot express is never approximated; it is
// CFAUnknown, FPUnknown or RAUnknown, and counted in the Report.
//
// Each machine has a file, rule_x86.go and rule_aarch64.go, with the numbers of its registers; everything else is common,
// except the return address: amd64's calls push it, arm64's leave it in a register until the function saves it, so a rule
// may be that it is still there.
//
// A Finder answers another question, afterwards: which function is around an address that has no name. It reads only the
// records it needs, by the linkers' index of the FDEs, .eh_frame_hdr. For a walk the rows are the better index.
//
// Deliberately absent: registers other than sp, fp and pc (a frame whose CFA counts from another one cannot be walked; that
// is a few instructions in functions that realign their stack, and code that switches stacks), .debug_frame, personality
// routines and everything else that only exceptions need, and a general evaluator of DWARF expressions.
package unwind
