package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// manyStacks has 20,000 stacks that have hardly a frame in common, of as many functions as the table has rows.
func manyStacks() *profile.Profile {
	random := rand.New(rand.NewPCG(7, 8))
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "blocks", Unit: "count"}}}
	for i := range 3 {
		p.Mapping = append(p.Mapping, &profile.Mapping{ID: uint64(i + 1), File: fmt.Sprintf("/lib%d.so", i)})
	}
	for i := range 150 {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("function_%03d", i), Filename: "a.c"}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: f.ID, Mapping: p.Mapping[i%3], Line: []profile.Line{{Function: f}}})
	}
	for range 20_000 {
		s := &profile.Sample{Value: []int64{1 + random.Int64N(1000)}}
		for range 12 {
			s.Location = append(s.Location, p.Location[random.IntN(150)])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// tableOf returns the rows that a table of functions must have, from the samples, in the slow way. The stacks of all samples begin
// at outermost, unless it is nil, and name names a frame.
func tableOf(p *profile.Profile, outermost *profile.Location, name func(*profile.Location) string) string {
	flat, cum := make(map[string]int64), make(map[string]int64)
	for _, s := range p.Sample {
		if outermost != nil && s.Location[len(s.Location)-1] != outermost {
			continue
		}
		flat[name(s.Location[0])] += s.Value[0]
		met := make(map[string]bool)
		for _, l := range s.Location {
			met[name(l)] = true
		}
		for n := range met {
			cum[n] += s.Value[0]
		}
	}
	var rows []string
	for n := range cum {
		rows = append(rows, fmt.Sprint(n, " ", flat[n], " ", cum[n]))
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// tableShown returns the rows of the page, in the same form.
const tableShown = `[...document.querySelectorAll("#functions tbody tr")].map((r) => [r.cells[2], r.cells[0], r.cells[1]].map((c) =>
	c.textContent.replaceAll(",", "")).join(" ")).sort().join("\n")`

func TestFiguresAreOfAllSamples(t *testing.T) {
	p := manyStacks()
	path := filepath.Join(t.TempDir(), "many.pb.gz")
	var written bytes.Buffer
	if err := p.Write(&written); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, written.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	function := func(l *profile.Location) string { return l.Line[0].Function.Name }
	library := func(l *profile.Location) string { return filepath.Base(l.Mapping.File) }
	first := p.Location[0]
	address := view(t, path)
	for state, want := range map[string]string{
		"": tableOf(p, nil, function), "reverse=1": tableOf(p, nil, function), "library=1": tableOf(p, nil, library),
		"zoom=" + url.QueryEscape(function(first)): tableOf(p, first, function),
	} {
		b := openWhen(t, address+"#view=blocks&"+state, drawn)
		if got := eval[string](t, b, tableShown); got != want {
			t.Errorf("%s: the table is\n%.300s\nwant\n%.300s", state, got, want)
		}
	}
	var found int64
	for _, s := range p.Sample {
		if slices.Contains(s.Location, first) {
			found += s.Value[0]
		}
	}
	b := openWhen(t, address+"#view=blocks&q="+function(first), drawn)
	contains(t, strings.ReplaceAll(eval[string](t, b, text("#summary")), ",", ""), fmt.Sprintf("; %d (", found))
}
