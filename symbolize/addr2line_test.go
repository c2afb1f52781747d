package symbolize

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// addr2line is the second road to names: binutils' answers, innermost first. Where it knows nothing, Function is "??".
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
		t.Skip("addr2line: ", err)
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

// compare counts how the answers differ, by class, and shows the first of each class.
func compare(t *testing.T, addresses []mappings.ELFAddr, got []Result, want [][]Line) map[string]int {
	t.Helper()
	classes := make(map[string]int)
	for i := range addresses {
		class := difference(got[i], want[i])
		if classes[class]++; class != "" && classes[class] <= 3 {
			t.Logf("%s: %#x\n got  %v\n want %v", class, uint64(addresses[i]), got[i], want[i])
		}
	}
	return classes
}

func difference(got Result, want []Line) string {
	if (got.Reason == Named) == (len(got.Lines) == 0) {
		return "neither or both"
	}
	if len(got.Lines) == 0 {
		if want[0].SystemName == "??" {
			return ""
		}
		return "only addr2line has a name"
	}
	if want[0].SystemName == "??" {
		return "only we have a name"
	}
	if len(got.Lines) != len(want) {
		return "number of lines"
	}
	for i := range want {
		g := got.Lines[i]
		switch {
		case g.SystemName != want[i].SystemName:
			return "name"
		case g.Line != want[i].Line:
			return "line"
		case g.File != "" && filepath.Clean(g.File) != want[i].File || g.File == "" && want[i].File != "":
			return "file"
		}
	}
	return ""
}

func summary(classes map[string]int) string {
	var parts []string
	for class, count := range classes {
		if class == "" {
			class = "equal"
		}
		parts = append(parts, fmt.Sprintf("%s: %d", class, count))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func TestNamesAgreeWithAddr2line(t *testing.T) {
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
	} {
		t.Run(build.source+" "+build.compiler+" "+build.flags, func(t *testing.T) {
			program := compile(t, build.compiler, build.source, strings.Fields(build.flags)...)
			addresses := everyByte(t, program)
			got := New(Options{}).Resolve(module(program), addresses)
			t.Log(summary(compare(t, addresses, got, addr2line(t, program, addresses))))
		})
	}
}
