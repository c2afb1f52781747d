// Command leaks shows how well view=unreachable tells leaks from what looks like one, and view=heldby who holds the rest. It
// builds the programs in the folders beside it, runs each of their cases in a process of its own, and prints a table. Its
// arguments are programs, or PROGRAM/CASE, such as corpus/singly; without any, it runs all.
//
// A case allocates in functions whose names say what becomes of their blocks: trial/trial.h lists them. When it is at rest, and
// its blocks are older than the view's bound, its profiles are read through HTTP, once recorded whole and once at 64 KiB. This
// must hold:
//
//   - Recorded whole, each function has in use exactly what the program counted.
//   - Whatever is said to be unreachable is lost, but for 4 KiB, which a library may lose by itself. Of the bytes and of the blocks that are
//     lost, 95 % are said to be unreachable in all cases together; 75 % in each, because one word that looks like a pointer to a
//     lost structure holds all of it. Whatever a case did not allocate in a function of its own counts as kept.
//   - At 64 KiB, 95 % and 90 % of the bytes. In each case, what is said to be unreachable is compared with what the same profile
//     has in use; over all cases, with the truth.
//   - Of the bytes that are kept, view=heldby says of 95 % that they are held by what does hold them.
//   - Recorded whole, no two suspects are called the same. None is said to be lost that is kept, to be lost without "or its pointers are
//     hidden", or to be a leak, because it was seen once. Where a case says what the suspects of a function must be told, they are.
//
// Blocks whose address the program has in a form that no reader of memory can know, and lost blocks to which a library still
// points, are shown, and not part of the sums: nothing can tell.
//
// A case in which nothing is wrong but that too few lost blocks are found is run again, at most four times. If it then holds, the file
// that RECORD names says so, and tools/tests prints it as FLAKY.
//
// Cases in C and C++ are also built without Go, and LeakSanitizer looks for their leaks (package plain).
//
// Programs that need Debian packages have the build tag leaks. The command installs the packages if it may, and names them
// otherwise.
package main
