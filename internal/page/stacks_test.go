package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// randomProfile has that many stacks of twelve functions.
func randomProfile(samples int) *profile.Profile {
	random := rand.New(rand.NewPCG(1, 2))
	library := &profile.Mapping{ID: 1, File: "/usr/lib/libsome.so.1"}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}, Mapping: []*profile.Mapping{library}}
	for i := range 4000 {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("space::function_%d(unsigned long)", i), Filename: "some.cc"}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: uint64(i + 1), Mapping: library, Address: uint64(i), Line: []profile.Line{{Function: f, Line: 1}}})
	}
	for i := range samples {
		s := &profile.Sample{Value: []int64{1, 1 + random.Int64N(1<<20)}, Label: map[string][]string{"tenant": {fmt.Sprint(i % 3)}}}
		for depth := range 12 {
			s.Location = append(s.Location, p.Location[random.IntN(4000>>depth)])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// pathsOf adds up the bytes by path, in the slow way.
func pathsOf(s *Stacks) map[string]int64 {
	paths, sums := make([]string, len(s.Nodes)), make(map[string]int64)
	for i, n := range s.Nodes {
		paths[i] = s.Texts[s.Functions[n[1]][0]]
		if n[0] >= 0 {
			paths[i] = paths[n[0]] + ";" + paths[i]
		}
		if n[2] != 0 {
			sums[paths[i]] += n[2]
		}
	}
	return sums
}

func TestATreeHasTheStacksOfTheProfile(t *testing.T) {
	p := randomProfile(500)
	want := make(map[string]int64)
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			names = append(names, l.Line[0].Function.Name)
		}
		slices.Reverse(names)
		want[strings.Join(names, ";")] += s.Value[1]
	}
	got := pathsOf(NewStacks(p, Options{View: "inuse"}))
	if len(got) != len(want) {
		t.Errorf("%d stacks, want %d", len(got), len(want))
	}
	for path, bytes := range want {
		if got[path] != bytes {
			t.Errorf("%s has %d, want %d", path, got[path], bytes)
		}
	}
}

func TestATreeIsBoundedAndLosesNoByte(t *testing.T) {
	p := randomProfile(3000)
	p.Sample[0].Value[1] = -1 << 30
	bounded(t, p)
	for _, s := range p.Sample {
		s.Value[1] = 512 << 10 // as most are that were sampled
	}
	bounded(t, p)
}

// bounded cuts a profile's tree to several sizes.
func bounded(t *testing.T, p *profile.Profile) {
	t.Helper()
	whole := NewStacks(p, Options{})
	for _, keep := range []int{1, 10, 1000, len(whole.Nodes) - 1} {
		s := NewStacks(p, Options{Keep: keep})
		var sum int64
		kept := 0
		for i, n := range s.Nodes {
			if s.Texts[s.Functions[n[1]][0]] != other {
				kept++
			}
			if n[0] >= int64(i) || n[0] < -1 {
				t.Fatalf("node %d lies below %d", i, n[0])
			}
			sum += n[2]
		}
		if sum != s.Total || s.Total != whole.Total || kept != keep || len(s.Nodes) > 2*keep+1 || s.Cut == 0 {
			t.Errorf("%d nodes, %d kept of %d: %d bytes of %d, %d cut", len(s.Nodes), kept, keep, sum, whole.Total, s.Cut)
		}
	}
}

// The page adds nodes up in other ways: what is not sent is in none of its figures.
func TestThePageGetsAllNodesOfAsManySamplesAsThereMayBe(t *testing.T) {
	if s := NewStacks(randomProfile(20_000), Options{}); s.Cut > 0 {
		t.Errorf("%d nodes were cut, and %d are left", s.Cut, len(s.Nodes))
	}
}

func TestNodesAreWrittenShort(t *testing.T) {
	made := Nodes{{-1, 5, 0, 0}, {0, 6, 7, 0}, {-1, 5, 0, -1}, {0, 8, -9, 1}}
	text, err := json.Marshal(struct{ Nodes Nodes }{made})
	if want := `{"Nodes":[[0,5],[1,6,7,0],[0,5,0,-1],[3,8,-9,1]]}`; err != nil || string(text) != want {
		t.Errorf("%v: %s, want %s", err, text, want)
	}
}

func TestLabelsDivideATree(t *testing.T) {
	s := NewStacks(randomProfile(9), Options{By: "tenant"})
	var roots []string
	for _, n := range s.Nodes {
		if n[0] < 0 {
			roots = append(roots, s.Texts[s.Functions[n[1]][0]])
		}
	}
	if !slices.Equal(roots, []string{"tenant: 0", "tenant: 1", "tenant: 2"}) || !slices.Equal(s.Labels["tenant"], []string{"0", "1", "2"}) {
		t.Error(roots, s.Labels)
	}
}

func TestHostileNamesStayInsideJSON(t *testing.T) {
	const name = "</script><script>alert(1)</script>\x00\xff\u2028"
	p := randomProfile(1)
	p.Function[0].Name = name
	p.Sample[0].Location = p.Location[:1]
	text, err := json.Marshal(NewStacks(p, Options{}))
	if err != nil || bytes.Contains(text, []byte("<")) || bytes.ContainsRune(text, '\u2028') {
		t.Errorf("%v: %s", err, text)
	}
}

func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		f    profile.Function
		want int
	}{
		"Go":              {profile.Function{Name: "main.(*service).handle", Filename: "main.go"}, kindGo},
		"C in a preamble": {profile.Function{Name: "_sqlite3_open_v2", Filename: "/src/sqlite3.go"}, kindC},
		"its copy":        {profile.Function{Name: "_sqlite3_open_v2.part.0", Filename: "/src/sqlite3.go"}, kindC},
		"C++":             {profile.Function{Name: "hold<script>(unsigned long)", SystemName: "_Z4holdI6scriptEPvm"}, kindCXX},
		"C":               {profile.Function{Name: "sqlite3_prepare", Filename: "sqlite3.c"}, kindC},
		"Rust":            {profile.Function{Name: "core::ops::call", Filename: "call.rs"}, kindRust},
		"a leaf":          {profile.Function{Name: "[malloc: free]"}, kindLeaf},
	} {
		if got := kindOf(&c.f, nil); got != c.want {
			t.Errorf("%s is %d", name, got)
		}
	}
}

// BenchmarkFirstTree reads a profile of 20,000 stacks back, makes the tree and packs it: what the page's first graph takes beside the
// profile itself.
func BenchmarkFirstTree(b *testing.B) {
	var file bytes.Buffer
	if err := randomProfile(20_000).WriteUncompressed(&file); err != nil {
		b.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	for b.Loop() {
		p, err := profile.ParseUncompressed(file.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		answer := httptest.NewRecorder()
		if err := WriteJSON(answer, request, NewStacks(p, Options{})); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(answer.Body.Len()), "B/answer")
	}
}

func TestACutTreeHasAllObjects(t *testing.T) {
	objects := func(s *Stacks) (sum int64) {
		for _, n := range s.Nodes {
			sum += n[3]
		}
		return sum
	}
	p := randomProfile(3000)
	whole, cut := NewStacks(p, Options{View: "inuse", Keep: 1 << 20}), NewStacks(p, Options{View: "inuse", Keep: 100})
	if cut.Cut == 0 || objects(whole) != 3000 || objects(cut) != 3000 {
		t.Errorf("%d nodes were cut, %d and %d objects", cut.Cut, objects(whole), objects(cut))
	}
}

func TestGrowthSaysSinceWhen(t *testing.T) {
	p := randomProfile(1)
	p.TimeNanos, p.DurationNanos = 90e9, 30e9
	if from := NewStacks(p, Options{View: "growth"}).From; from != 60_000 {
		t.Errorf("growth is from %d ms", from)
	}
	if from := NewStacks(p, Options{View: "inuse"}).From; from != 0 {
		t.Errorf("what is in use is from %d ms", from)
	}
}
