package symbolize

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// addr2line is the second road to names: binutils' answers, innermost first. If it knows nothing, Function is "??".
func addr2line(t testing.TB, path string, addresses []mappings.ELFAddr, flags ...string) [][]Line {
	t.Helper()
	var input bytes.Buffer
	for _, a := range addresses {
		fmt.Fprintf(&input, "%#x\n", uint64(a))
	}
	command := exec.Command("addr2line", append(flags, "-afi", "-e", path)...)
	command.Stdin = &input
	output, err := command.Output()
	if err != nil {
		t.Fatal("addr2line: ", err)
	}
	var answers [][]Line
	rows := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	for i := 0; i < len(rows); {
		if strings.HasPrefix(rows[i], "0x") {
			answers = append(answers, nil)
			i++
			continue
		}
		last := &answers[len(answers)-1]
		*last = append(*last, parseAddr2line(rows[i], rows[i+1]))
		i += 2
	}
	if len(answers) != len(addresses) {
		t.Fatalf("addr2line answered %d of %d addresses", len(answers), len(addresses))
	}
	return answers
}

func parseAddr2line(function, place string) Line {
	place, _, _ = strings.Cut(place, " (discriminator")
	colon := strings.LastIndexByte(place, ':')
	line := Line{SystemName: function, File: place[:colon]}
	line.Line, _ = strconv.Atoi(place[colon+1:])
	if line.File == "??" {
		line.File = ""
	} else {
		line.File = filepath.Clean(line.File)
	}
	return line
}

// agree checks our names of a file's addresses against addr2line's. Every difference must be of a class that is on
// purpose, or llvm-symbolizer must be on our side.
func agree(t *testing.T, path string, addresses []mappings.ELFAddr) {
	t.Helper()
	c := comparison{symbols: allSymbols(t, path, debugFileOf(t, path)), filtered: make(map[string]string), classes: make(map[string]int)}
	got := New(Options{}).Resolve(module(path), addresses)
	addr2lines := addr2line(t, path, addresses)
	var disputed []int
	for i, want := range addr2lines {
		if class, wanted := c.class(uint64(addresses[i]), got[i], want); wanted {
			c.classes[class]++
		} else {
			disputed = append(disputed, i)
		}
	}
	overturned := llvmAgrees(t, path, addresses, got, disputed)
	for n, i := range disputed {
		class, _ := c.class(uint64(addresses[i]), got[i], addr2lines[i])
		if overturned[n] && class != forgotten { // llvm-symbolizer reports only places
			c.classes["another "+class+", and llvm-symbolizer agrees with us"]++
		} else if ours := c.placeClass(t, path, class, addresses[i], got[i], addr2lines[i]); ours != "" {
			c.classes[ours]++
		} else if c.classes[class]++; c.classes[class] <= 3 {
			t.Errorf("%s: %#x\n got  %v\n want %v", class, uint64(addresses[i]), got[i], addr2lines[i])
		}
	}
	c.log(t)
}

// log prints how many addresses are in each class.
func (c *comparison) log(t *testing.T) {
	for _, class := range slices.Sorted(maps.Keys(c.classes)) {
		t.Logf("%7d %s", c.classes[class], class)
	}
}

func TestEveryAddressIsNamedAsAddr2lineNamesIt(t *testing.T) {
	for _, build := range []struct{ compiler, source, flags string }{
		{"gcc", "calls.c", "-g -O0"},
		{"gcc", "calls.c", "-g -O2"},
		{"gcc", "calls.c", "-g -O2 -gdwarf-4"},
		{"gcc", "calls.c", "-g -O2 -gz=zlib"},
		{"gcc", "calls.c", "-g -O2 -static-pie"},
		{"gcc", "calls.c", "-g -O2 -no-pie -ffunction-sections -Wl,--gc-sections"},
		{"gcc", "calls.c", "-g -O2 -flto"},
		{"gcc", "calls.c", "-O2"},
		{"g++", "shapes.cc", "-g -O0"},
		{"g++", "shapes.cc", "-g -O2"},
		{"g++", "shapes.cc", "-g -O2 -gdwarf-4"},
		{"g++", "shapes.cc", "-g -O3 -gz=zlib"},
		{"g++", "shapes.cc", "-g -O2 -flto"},
		{"g++", "shapes.cc", "-O2"},
		{"clang", "calls.c", "-g -O2"},
		{"clang++", "shapes.cc", "-g -O2"},
		{"g++", "takes.cc", "-g -O2"},
		{"g++", "takes.cc", "-g1 -O2"},
		{"clang++", "takes.cc", "-g -O2"},
		{"clang++", "takes.cc", "-gline-tables-only -O2"},
	} {
		t.Run(build.source+" "+build.compiler+" "+build.flags, func(t *testing.T) {
			if testing.Short() && (build.flags != "-g -O2" || strings.HasPrefix(build.compiler, "clang") || build.source == "takes.cc") {
				t.Skip("long: make test-all runs it")
			}
			program := compile(t, build.compiler, build.source, strings.Fields(build.flags)...)
			addresses := everyByte(t, program)
			addresses = every(len(addresses)/20000+1, addresses) // all, except in a program with libc inside
			agree(t, program, addresses)
		})
	}
}
