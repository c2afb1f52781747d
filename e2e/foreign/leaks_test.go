package main

import (
	"slices"
	"strings"
	"testing"
)

func TestEachTestOfAFileIsChecked(t *testing.T) {
	const text = `package p // of it

import "testing"

func TestA(t *testing.T) {
	work()
}
func TestÄ(q *testing.T) { q.Log() }
func TestParallel(t *testing.T) {
	t.Log()
	t.Parallel()
	work()
}
func TestLeft(*testing.T)        {}
func TestLeftToo(_ *testing.T)   {}
func Testing(t *testing.T)       {}
func TestOf(b *testing.B)        {}
func (x x) TestMethod(t *testing.T) {}
func TestTwo(t *testing.T, n int) {}
func TestMain(m *testing.M)      {}
`
	in := insertion{path: "q/check"}
	got, err := in.inserted([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := text
	for old, now := range map[string]string{
		"package p ":                 `package p; import "q/check" `,
		"func TestA(t *testing.T) {": "func TestA(t *testing.T) {; cgoheapcheck.Check(t);",
		"func TestÄ(q *testing.T) {": "func TestÄ(q *testing.T) {; cgoheapcheck.Check(q);",
		"	t.Parallel()":              "	t.Parallel(); cgoheapcheck.Check(t);",
	} {
		want = strings.Replace(want, old, now, 1)
	}
	if string(got) != want {
		t.Errorf("%s", got)
	}
	if !slices.Equal(in.checked, []string{"TestA", "TestÄ", "TestParallel"}) || !slices.Equal(in.left, []string{"TestLeft", "TestLeftToo"}) {
		t.Errorf("checked %q, left %q", in.checked, in.left)
	}
	const none = "package p\n\nfunc Test() {}\n"
	if got, err := in.inserted([]byte(none)); err != nil || string(got) != none {
		t.Errorf("%s, %v", got, err)
	}
}

const found = "1 block of 77 bytes, allocated in this test, in use at its end:\n            1 block of 77 bytes\n" +
	"                planted  p/cgoheapcheck/check.go:9\n                C.planted  _cgo_gotypes.go:1\n"

func TestOnlyThePlantedLeakMayBeFound(t *testing.T) {
	s := checkedSuite{suite: suite{leaks: map[string]string{"TestKnown": "why"}}}
	for about, c := range map[string]struct {
		leaks map[string]string
		wrong int
	}{
		"it is":               {map[string]string{"p TestA": found}, 0},
		"a known one beside":  {map[string]string{"p TestA": found, "p TestKnown": "5 blocks"}, 0},
		"another beside":      {map[string]string{"p TestA": found, "p TestB": "5 blocks"}, 1},
		"it is not":           {nil, 1},
		"only in another":     {map[string]string{"p TestB": found}, 2},
		"more in the test":    {map[string]string{"p TestA": strings.Replace(found, "1 block", "2 blocks", 1)}, 2},
		"it has not its name": {map[string]string{"p TestA": strings.Replace(found, " planted", " other", 1)}, 2},
	} {
		if wrong := s.misses("TestA", c.leaks); len(wrong) != c.wrong {
			t.Errorf("%s: %q", about, wrong)
		}
	}
}

func TestWhatAChecksSaysIsRead(t *testing.T) {
	c := checking{outcomes: read(strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: leaktest: 1 block of 7 bytes, allocated in this test, in use at its end:\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    a_test.go:1: leaktest: not checked: no cgo\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p","Test":"TestC"}
`))}
	c.sort()
	if len(c.leaks) != 1 || !strings.HasPrefix(c.leaks["p TestA"], "1 block of 7 bytes") || len(c.notes) != 1 || c.notes["p TestB"] == "" {
		t.Errorf("%q, %q", c.leaks, c.notes)
	}
	if got := c.passing([]string{"TestC", "TestB", "TestA"}); got != "TestB" {
		t.Error(got)
	}
}
