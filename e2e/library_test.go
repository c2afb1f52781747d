package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// largeLibrary builds a library with debug data, and with a symbol table of 20 MB. begin(n) leaves a block of 64 bytes
// behind, on another stack for each n below 2^20: 20 of the library's functions with long names are on it.
func largeLibrary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	steps, rest := filepath.Join(dir, "steps.c"), filepath.Join(dir, "rest.s")
	write(t, steps, stepsText())
	write(t, rest, restText())
	gcc := toolchain.Target(t).Tool(t, "gcc")
	object := made(t, "rest.o", nil, gcc, "-c", rest)
	return made(t, "large.so", nil, gcc, "-O1", "-g", "-gz", "-fPIC", "-shared", object, steps)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var longName = strings.Repeat("a_long_name_", 20)

// stepsText returns 500 functions. Each calls another, chosen by the next bits of the path; the last allocates.
func stepsText() string {
	const functions = 500
	var text, table strings.Builder
	fmt.Fprintf(&text, "#define STEPS %d\n%s", functions, stepsBegin)
	for i := range functions {
		fmt.Fprintf(&text, "void %s%d(unsigned path, int depth) { turn(path, depth); __asm__ volatile(\"\"); }\n", longName, i)
		fmt.Fprintf(&table, "%s%d,\n", longName, i)
	}
	fmt.Fprintf(&text, "step *const steps[] = {\n%s};\n", &table)
	return text.String()
}

const stepsBegin = `#include <stdlib.h>
typedef void step(unsigned path, int depth);
extern step *const steps[];
static inline __attribute__((always_inline)) void turn(unsigned path, int depth) {
	char *volatile block;
	if (depth--) steps[((path >> depth) * 7919 + depth * 31) % STEPS](path, depth);
	else block = malloc(64);
}
void begin(unsigned path) { turn(path, 20); __asm__ volatile(""); }
`

// restText returns functions that nobody calls, as a large library has many.
func restText() string {
	var text strings.Builder
	text.WriteString("\t.section .note.GNU-stack,\"\",%progbits\n\t.text\n")
	for i := range 80_000 {
		fmt.Fprintf(&text, "\t.type %[1]s, %%function\n%[1]s:\n\t.skip 16\n\t.size %[1]s, 16\n", fmt.Sprint(longName, "rest_", i))
	}
	return text.String()
}
