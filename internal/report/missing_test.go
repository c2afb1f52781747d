package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

func TestWhatIsMissingIsSaidWithItsFiles(t *testing.T) {
	unnamed := func(r symbolize.Reason) symbolize.Result { return symbolize.Result{Reason: r} }
	poor := symbolize.Result{Lines: []symbolize.Line{{Function: "draw"}}, Lack: symbolize.NeedsSplit}
	good := symbolize.Result{Lines: poor.Lines}
	for name, c := range map[string]struct {
		files map[string][]symbolize.Result
		want  []string
	}{
		"nothing":                     {map[string][]symbolize.Result{"/a": {good}}, nil},
		"one address":                 {map[string][]symbolize.Result{"/a": {good, unnamed(symbolize.Stripped)}}, []string{"1 address without a name in /a."}},
		"an address outside of files": {map[string][]symbolize.Result{"": {unnamed(symbolize.NoModule)}}, []string{"1 address without a name."}},
		"poor names":                  {map[string][]symbolize.Result{"/a": {poor, poor}}, []string{"2 addresses without inlined calls or lines in /a."}},
		"several reasons": {
			map[string][]symbolize.Result{"/a": {poor, unnamed(symbolize.NeedsSplit), unnamed(symbolize.FileGone)}},
			[]string{"1 address without a name in /a.", "1 address without a name in /a.", "1 address without inlined calls or lines in /a."},
		},
		"several files": {
			map[string][]symbolize.Result{"/a": {poor}, "/b": {poor, poor}},
			[]string{"3 addresses without inlined calls or lines in /b (2), /a (1)."},
		},
		"many files": {
			map[string][]symbolize.Result{"/a": {poor}, "/b": {poor, poor}, "/c": {poor}, "/d": {poor}},
			[]string{"5 addresses without inlined calls or lines in /b (2), /a (1), /c (1), 1 more file."},
		},
		"very many files": {
			map[string][]symbolize.Result{"/a": {poor}, "/b": {poor}, "/c": {poor}, "/d": {poor}, "/e": {poor}},
			[]string{"5 addresses without inlined calls or lines in /a (1), /b (1), /c (1), 2 more files."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := make(missing)
			for path, results := range c.files {
				for _, result := range results {
					module := &mappings.Module{Path: path}
					if path == "" {
						module = nil
					}
					m.add(module, result)
				}
			}
			var got []string
			for _, sentence := range m.sentences() {
				first, _, _ := strings.Cut(sentence, ". ")
				got = append(got, first+".")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
