package profiletest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/check"
)

// module is where the functions of the tests are.
const module = "github.com/cgoheap/cgoheap"

// Parse reads a profile and has it judged by our own rules and by google/pprof's.
func Parse(t testing.TB, r io.Reader) *profile.Profile {
	t.Helper()
	var copied bytes.Buffer
	faults, err := check.Profile(io.TeeReader(r, &copied))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if f.Severity == check.Error {
			t.Error(f)
		}
	}
	p, err := profile.Parse(io.MultiReader(&copied, r))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Through returns the samples whose stacks have the function, without its package's path, of a package of this module.
func Through(p *profile.Profile, function string) []*profile.Sample {
	var found []*profile.Sample
	for _, s := range p.Sample {
		if slices.ContainsFunc(Functions(s), func(name string) bool {
			rest, ours := strings.CutPrefix(name, module)
			_, short, _ := strings.Cut(rest[strings.LastIndex(rest, "/")+1:], ".")
			return ours && short == function
		}) {
			found = append(found, s)
		}
	}
	return found
}

// Functions of a stack, leaf first.
func Functions(s *profile.Sample) []string {
	var names []string
	for _, l := range s.Location {
		for _, line := range l.Line {
			names = append(names, line.Function.Name)
		}
	}
	return names
}

// Sum adds up each of a profile's values.
func Sum(samples []*profile.Sample) [4]int64 {
	var sum [4]int64
	for _, s := range samples {
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	return sum
}

// HasComment reports whether one of the comments has all of the parts.
func HasComment(p *profile.Profile, parts ...string) bool {
	return slices.ContainsFunc(p.Comments, func(c string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(c, part) })
	})
}

// Ask sends a profile's handler a GET with parameters.
func Ask(h http.Handler, parameters string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/debug/pprof/cgoheap?"+parameters, nil))
	return answer
}
