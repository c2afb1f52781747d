package page

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"
)

// recursive has stacks of few functions, inlined ones among them, so that lines come several times in one.
func recursive(samples int) *profile.Profile {
	random := rand.New(rand.NewPCG(3, 4))
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}}}
	for i := range 5 {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: fmt.Sprint("f", i), Filename: "/some.c"})
	}
	for i := range 12 {
		l := &profile.Location{ID: uint64(i + 1), Address: uint64(i)}
		for range 1 + i%3 {
			l.Line = append(l.Line, profile.Line{Function: p.Function[random.IntN(5)], Line: random.Int64N(4)}) // 0 is unknown
		}
		p.Location = append(p.Location, l)
	}
	for range samples {
		s := &profile.Sample{Value: []int64{random.Int64N(2000) - 1000}}
		for range 1 + random.IntN(6) {
			s.Location = append(s.Location, p.Location[random.IntN(12)])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func TestLinesAddUp(t *testing.T) {
	p := recursive(300)
	type sums struct{ flat, cum int64 }
	want := make(map[string]sums)
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				names = append(names, fmt.Sprint(line.Function.Name, ":", line.Line))
			}
		}
		for i, name := range names {
			sum := want[name]
			if i == 0 {
				sum.flat += s.Value[0]
			}
			if !strings.Contains(" "+strings.Join(names[:i], " ")+" ", " "+name+" ") {
				sum.cum += s.Value[0]
			}
			want[name] = sum
		}
	}
	made := NewStacks(p, Options{})
	for _, l := range made.Lines {
		name := fmt.Sprint(made.Texts[made.Functions[l[0]][0]], ":", l[1])
		if got := (sums{l[2], l[3]}); got != want[name] || l[1] == 0 {
			t.Errorf("%s has %v, want %v", name, got, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		if !strings.HasSuffix(name, ":0") {
			t.Error("missing: ", name)
		}
	}
}

func TestTooManyLinesAreCut(t *testing.T) {
	f := &profile.Function{ID: 1, Name: "f"}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}}}
	for i := range int64(mostLines + 5) {
		l := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f, Line: i + 1}}}
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{i}})
	}
	lines := NewStacks(p, Options{}).Lines
	if len(lines) != mostLines || lines[0][3] != mostLines+4 || lines[mostLines-1][3] != 5 {
		t.Errorf("%d lines, from %v to %v", len(lines), lines[0], lines[len(lines)-1])
	}
}

func TestSourceIsReadOfTheProfilesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for n := range 40 {
		fmt.Fprintf(&text, "line %d\n", n+1)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, hostile := write("good.c", text.String()), write("hostile.c", strings.Repeat("\xff<script>", 100)+"\n")
	pipe := filepath.Join(dir, "pipe.c")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	short, big, secret, elsewhere := write("short.c", "one\n"), filepath.Join(dir, "big.c"), write("secret", "root:"), write("elsewhere.c", "text\n")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, mostSource+1); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.c")
	p := new(profile.Profile)
	link, include := filepath.Join(dir, "link.c"), filepath.Join(dir, "include")
	for _, err := range []error{os.Symlink(secret, link), os.Mkdir(include, 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	beyond, inside, kernel := include+"/../secret", include+"/../good.c", "/usr/include/../../proc/self/environ"
	for _, file := range []string{good, hostile, pipe, short, big, secret, missing, dir + "/", "some.c", "", link, beyond, inside, kernel, "/proc/self/fd/x.c"} {
		p.Function = append(p.Function, &profile.Function{Filename: file})
	}
	for file, want := range map[string]string{
		pipe: "not an ordinary file", short: "not the one that the program was built from", big: "more than", secret: "not one of source",
		missing: "not on this machine", "some.c": "no full path", elsewhere: "no function of the profile", "/etc/shadow": "no function of the profile",
		dir + "/": "not one of source", "": "no full path", link: "no source", beyond: "not one of source", kernel: "not one of source",
		"/proc/self/fd/x.c": "not on this machine",
	} {
		if got := ReadSource(p, file, []int64{20}); !strings.Contains(got.Missing, want) || len(got.Lines) > 0 {
			t.Errorf("%s: %+v", file, got)
		}
	}
	got := ReadSource(p, good, []int64{20, 23, 1})
	if got.Missing != "" || len(got.Lines) != 6+14 || got.Lines[1] != "line 1" || got.Lines[15] != "line 15" || got.Lines[28] != "line 28" {
		t.Errorf("%+v", got)
	}
	if got := ReadSource(p, inside, []int64{20}); got.Lines[20] != "line 20" {
		t.Errorf("%+v", got)
	}
	if got := ReadSource(p, hostile, []int64{1}); len(got.Lines[1]) > 3*mostText || !strings.HasPrefix(got.Lines[1], "\uFFFD<script>") {
		t.Errorf("%q", got.Lines[1])
	}
}
