package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CFlags are quick to compile with: make ctest builds with -O2 too.
var CFlags = strings.Fields("-std=gnu11 -Wall -Wextra -Werror -DCGOHEAP_WRAP -O1 -fno-omit-frame-pointer")

// CTest is a program in C of a package's testdata/ctest, whose tests check.h there runs.
type CTest struct {
	Name, Scale string   // Scale divides the rounds
	Only        []string // parts of the names of its cases
}

// TestC builds each program with a package's C, from that package's folder, and runs its cases. The compiler refuses to compute with
// floating-point numbers in the package's C: their environment is the program's.
func (c Toolchain) TestC(t *testing.T, sources []string, tests []CTest, flags ...string) {
	folder := t.TempDir()
	var objects []string
	for _, source := range sources {
		object := filepath.Join(folder, source+".o")
		c.Build(t, "gcc", append([]string{"-c", "-mgeneral-regs-only", "-o", object, source}, CFlags...)...)
		objects = append(objects, object)
	}
	for _, test := range tests {
		program := filepath.Join(folder, test.Name)
		arguments := append([]string{"-DSCALE=" + test.Scale, "-o", program, "testdata/ctest/" + test.Name + ".c"}, objects...)
		c.Build(t, "gcc", append(append(append(arguments, CFlags...), flags...), "-lm", "-lpthread")...)
		for _, only := range test.Only {
			t.Run(test.Name+" "+only, func(t *testing.T) {
				command := c.Run(program)
				command.Env = append(os.Environ(), "ONLY="+only)
				output, err := command.CombinedOutput()
				if err != nil || !strings.Contains(string(output), "ok  ") {
					t.Errorf("%v\n%s", err, output)
				}
			})
		}
	}
}
