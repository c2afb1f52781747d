package otlp

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cgoheap/cgoheap/export/post"
)

// encoded is the request of a moment with these profiles, read from its bytes.
func encoded(t *testing.T, m *post.Moment) *profiles.ProfilesData {
	t.Helper()
	r, err := (&Config{ServiceName: "shop"}).resources()
	if err != nil {
		t.Fatal(err)
	}
	data, err := r.encode(m)
	if err != nil {
		t.Fatal(err)
	}
	request := &profiles.ProfilesData{}
	if err := proto.Unmarshal(data, request); err != nil {
		t.Fatal(err)
	}
	return request
}

func moment(t *testing.T, list ...*profile.Profile) *post.Moment {
	t.Helper()
	m := &post.Moment{}
	for _, p := range list {
		if err := p.CheckValid(); err != nil {
			t.Fatal(err)
		}
		var data bytes.Buffer
		if err := p.Write(&data); err != nil {
			t.Fatal(err)
		}
		m.Profiles = append(m.Profiles, data.Bytes())
	}
	return m
}

// profilesOf returns the Profiles of a request, which has one resource and one scope.
func profilesOf(t *testing.T, request *profiles.ProfilesData) []*profiles.Profile {
	t.Helper()
	if len(request.ResourceProfiles) != 1 || len(request.ResourceProfiles[0].ScopeProfiles) != 1 {
		t.Fatalf("%v", request)
	}
	return request.ResourceProfiles[0].ScopeProfiles[0].Profiles
}

// mustBeSame converts profiles, and compares what is read back with what their files have: pprof itself does not write labels
// that are empty or 0.
func mustBeSame(t *testing.T, list ...*profile.Profile) {
	t.Helper()
	m := moment(t, list...)
	var files []*profile.Profile
	for _, data := range m.Profiles {
		p, err := profile.ParseData(data)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, p)
	}
	request := encoded(t, m)
	r := &reader{t, request.Dictionary}
	if diff := cmp.Diff(describe(files...), r.describe(profilesOf(t, request))); diff != "" {
		t.Errorf("the profile has changed (-want +got):\n%s", diff)
	}
	mustBeADictionary(t, request.Dictionary)
}

// mustBeADictionary checks what the protocol demands: the first item of each table is the zero value, and none is there twice.
func mustBeADictionary(t *testing.T, d *profiles.ProfilesDictionary) {
	t.Helper()
	check := func(about string, items []string) {
		if len(items) == 0 || items[0] != "" {
			t.Errorf("%s do not begin with the zero value: %.100q", about, items)
		}
		slices.Sort(items)
		if n := len(slices.Compact(slices.Clone(items))); n != len(items) {
			t.Errorf("%d of %d %s are there twice", len(items)-n, len(items), about)
		}
	}
	check("strings", slices.Clone(d.StringTable))
	check("functions", encodings(t, d.FunctionTable))
	check("mappings", encodings(t, d.MappingTable))
	check("locations", encodings(t, d.LocationTable))
	check("stacks", encodings(t, d.StackTable))
	check("attributes", encodings(t, d.AttributeTable))
	if len(d.LinkTable) != 1 {
		t.Errorf("the links are %v", d.LinkTable)
	}
}

func encodings[M proto.Message](t *testing.T, list []M) (texts []string) {
	t.Helper()
	for _, m := range list {
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	return texts
}

// whole is a profile that has something of everything.
func whole() *profile.Profile {
	shop := &profile.Mapping{ID: 1, Start: 0x1000, Limit: 0x9000, Offset: 0x1000, File: "/bin/shop", BuildID: "00112233", HasFunctions: true, HasInlineFrames: true}
	unused := &profile.Mapping{ID: 2, Start: 0xa000, Limit: 0xb000, File: "/lib/libc.so.6", BuildID: "aabb", HasFilenames: true, HasLineNumbers: true}
	leak := &profile.Function{ID: 1, Name: "leak(int)", SystemName: "_Z4leaki", Filename: "leak.cc", StartLine: 3}
	grow := &profile.Function{ID: 2, Name: "grow"}
	inlined := &profile.Location{ID: 1, Address: 0x1234, Mapping: shop, Line: []profile.Line{{Function: grow, Line: 4, Column: 9}, {Function: leak, Line: 7}}}
	bare := &profile.Location{ID: 2, Address: 0x2222, Mapping: unused, IsFolded: true}
	nowhere := &profile.Location{ID: 3, Line: []profile.Line{{Function: grow, Line: 8}}}
	return &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		DefaultSampleType: "inuse_space",
		Sample: []*profile.Sample{
			{Location: []*profile.Location{inlined, bare}, Value: []int64{1, 100}, Label: map[string][]string{"heap": {"native"}},
				NumLabel: map[string][]int64{"bytes": {96}}, NumUnit: map[string][]string{"bytes": {"bytes"}}},
			{Location: []*profile.Location{inlined, bare}, Value: []int64{2, 200}, Label: map[string][]string{"heap": {"native", "go"}},
				NumLabel: map[string][]int64{"sizes": {1, 2}}},
			{Location: []*profile.Location{inlined, bare}, Value: []int64{3, 300}, Label: map[string][]string{"heap": {"native"}},
				NumLabel: map[string][]int64{"bytes": {96}}, NumUnit: map[string][]string{"bytes": {"bytes"}}}, // as the first
			{Location: []*profile.Location{nowhere, inlined}, Value: []int64{0, -5}},
			{Value: []int64{7, 0}},
		},
		Mapping: []*profile.Mapping{shop, unused}, Location: []*profile.Location{inlined, bare, nowhere}, Function: []*profile.Function{leak, grow},
		Comments: []string{"one", "two"}, DropFrames: "malloc", KeepFrames: "main", DocURL: "https://example.com",
		TimeNanos: 1_700_000_000_123_456_789, DurationNanos: 15e9, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10,
	}
}

func TestWhatAProfileHasIsKept(t *testing.T) { mustBeSame(t, whole()) }

func TestTwoProfilesShareADictionary(t *testing.T) {
	in, out := whole(), whole()
	in.DurationNanos = 0
	out.DefaultSampleType = ""
	out.SampleType = []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}
	mustBeSame(t, in, out)
	request := encoded(t, moment(t, in, out))
	var kinds []string
	ids := map[string]bool{}
	r := &reader{t, request.Dictionary}
	for _, p := range profilesOf(t, request) {
		kinds = append(kinds, r.valueType(p.SampleType))
		ids[string(p.ProfileId)] = len(p.ProfileId) == 16
	}
	if diff := cmp.Diff("inuse_space:bytes inuse_objects:count alloc_space:bytes alloc_objects:count", strings.Join(kinds, " ")); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if len(ids) != 4 {
		t.Errorf("%d different profile_id of 16 bytes, want 4", len(ids))
	}
	if alone := encoded(t, moment(t, in)); len(alone.Dictionary.LocationTable) != len(request.Dictionary.LocationTable) {
		t.Error("locations are there twice")
	}
	if again := encoded(t, moment(t, in, out)); !proto.Equal(again, request) {
		t.Error("what is sent again is not the same")
	}
}

func TestProfilesOfGosRuntimeAreKept(t *testing.T) {
	for _, name := range []string{"heap", "goroutine"} {
		var data bytes.Buffer
		if err := pprof.Lookup(name).WriteTo(&data, 0); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(&data)
		if err != nil {
			t.Fatal(err)
		}
		mustBeSame(t, p)
	}
}

func TestAnyProfileIsKept(t *testing.T) {
	for seed := range uint64(300) {
		mustBeSame(t, random(rand.New(rand.NewPCG(seed, 1))))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// random is a profile of few words and numbers, so that much of it is alike.
func random(r *rand.Rand) *profile.Profile {
	word := func() string { return []string{"", "a", "b", "c/d", "ü"}[r.IntN(5)] }
	some := func(n int) bool { return r.IntN(n) == 0 }
	p := &profile.Profile{TimeNanos: r.Int64(), DurationNanos: r.Int64N(3), Period: r.Int64N(3), DocURL: word(), KeepFrames: word(), DropFrames: word()}
	for i := range 1 + r.IntN(4) {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: fmt.Sprint("t", i), Unit: word()})
	}
	for i := range r.IntN(3) {
		p.Comments = append(p.Comments, fmt.Sprint(word(), i))
		p.PeriodType = &profile.ValueType{Type: word(), Unit: word()}
	}
	for i := range 1 + r.IntN(3) {
		p.Mapping = append(p.Mapping, &profile.Mapping{ID: uint64(i + 1), Start: uint64(i) << 12, Limit: uint64(i+1) << 12, Offset: r.Uint64N(3), File: word(),
			BuildID: word(), HasFunctions: some(2), HasFilenames: some(2), HasLineNumbers: some(2), HasInlineFrames: some(2)})
	}
	for i := range 1 + r.IntN(5) {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i + 1), Name: word(), SystemName: word(), Filename: word(), StartLine: r.Int64N(3)})
	}
	for i := range 1 + r.IntN(8) {
		l := &profile.Location{ID: uint64(i + 1), Address: r.Uint64N(4), IsFolded: some(3)}
		if !some(3) {
			l.Mapping = p.Mapping[r.IntN(len(p.Mapping))]
		}
		for range r.IntN(3) {
			l.Line = append(l.Line, profile.Line{Function: p.Function[r.IntN(len(p.Function))], Line: r.Int64N(3), Column: r.Int64N(2)})
		}
		p.Location = append(p.Location, l)
	}
	for range r.IntN(20) {
		s := &profile.Sample{Label: map[string][]string{}, NumLabel: map[string][]int64{}, NumUnit: map[string][]string{}}
		for range p.SampleType {
			s.Value = append(s.Value, 1+r.Int64N(3))
			if some(4) {
				s.Value[len(s.Value)-1] = 0
			}
		}
		for range r.IntN(4) {
			s.Location = append(s.Location, p.Location[r.IntN(len(p.Location))])
		}
		if some(2) {
			s.Label["l"] = []string{word()}
		}
		if some(2) {
			s.NumLabel["n"] = []int64{r.Int64N(3)}
			s.NumUnit["n"] = []string{word()}
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func TestBytesThatAreNoUTF8BecomeReplacements(t *testing.T) {
	p := whole()
	p.Function[0].Name, p.Mapping[0].File, p.Comments[0], p.Sample[0].Label["heap"][0] = "a\xff", "b\xff", "c\xff", "d\xff"
	request := encoded(t, moment(t, p))
	text := request.String()
	for _, want := range []string{"a\uFFFD", "b\uFFFD", "c\uFFFD", "d\uFFFD"} {
		if !utf8.ValidString(text) || !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestWhatOTLPHasNoPlaceForIsAnErrorThatNamesTheLabel(t *testing.T) {
	r, err := (&Config{}).resources()
	if err != nil {
		t.Fatal(err)
	}
	for about, spoil := range map[string]func(*profile.Sample){
		"both": func(s *profile.Sample) { s.NumLabel["both"], s.Label["both"] = []int64{1}, []string{"a"} },
		"units": func(s *profile.Sample) {
			s.NumLabel["units"], s.NumUnit["units"] = []int64{1, 2}, []string{"bytes", "seconds"}
		},
	} {
		p := whole()
		spoil(p.Sample[0])
		if _, err := r.encode(moment(t, p)); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("%s: %v", about, err)
		}
	}
	if _, err := r.encode(&post.Moment{Profiles: [][]byte{[]byte("no profile")}}); err == nil {
		t.Error("what is no profile is converted")
	}
}

// What is no message is an error, and the last part of an answer counts, whatever comes before it.
func FuzzRejected(f *testing.F) {
	f.Add([]byte("\x0a\x05\x08\x01\x12\x01a"))
	f.Add([]byte("\x0a\x05\x08\x01"))
	f.Add([]byte("\x12\x01a"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if proto.Unmarshal(answer, &emptypb.Empty{}) != nil {
			if err := rejected(answer); !errors.Is(err, errAnswer) {
				t.Errorf("%q is no message: %v", answer, err)
			}
			return
		}
		answer = slices.Clip(answer)
		if err := rejected(append(answer, "\x0a\x02\x08\x00"...)); err != nil {
			t.Errorf("%q, and none are rejected: %v", answer, err)
		}
		err := rejected(append(answer, "\x0a\x07\x08\x05\x12\x03why"...))
		if err == nil || !strings.Contains(err.Error(), `rejected 5 of the profiles: "why"`) {
			t.Errorf("%q, and 5 are rejected: %v", answer, err)
		}
	})
}

// BenchmarkEncode converts the two profiles of 16,000 samples in all, the most that the exporter takes by default.
func BenchmarkEncode(b *testing.B) {
	r, err := (&Config{}).resources()
	if err != nil {
		b.Fatal(err)
	}
	p := whole()
	p.Sample = nil
	for i := range 16_000 {
		f := &profile.Function{ID: uint64(i + 3), Name: fmt.Sprint("function", i)}
		l := &profile.Location{ID: uint64(i + 4), Address: uint64(i), Mapping: p.Mapping[0], Line: []profile.Line{{Function: f}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l, p.Location[i/2], p.Location[0]}, Value: []int64{1, int64(i)}})
	}
	var data bytes.Buffer
	if err := p.Write(&data); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.encode(&post.Moment{Profiles: [][]byte{data.Bytes()}}); err != nil {
			b.Fatal(err)
		}
	}
}
