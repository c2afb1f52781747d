package check

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCompressedProfileIsReadAsUncompressed(t *testing.T) {
	d := healthy()
	d.period = nil
	faults, err := Profile(bytes.NewReader(gzipped(t, d.encode())))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(faultsOf(t, d), faults); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNotAProfileIsAnError(t *testing.T) {
	whole := healthy().encode()
	var number, message wire
	number.content(fieldTime, []byte("text"))
	message.number(2, 7)
	for about, c := range map[string]struct {
		bytes []byte
		want  string
	}{
		"nothing":                  {nil, "there is no data"},
		"a text":                   {[]byte("heap profile: 1: 2 [3: 4] @ heap/1048576\n"), "wire type 3"},
		"half of a gzip":           {gzipped(t, whole)[:40], "unexpected EOF"},
		"a broken gzip header":     {[]byte("\x1f\x8bxxxxxxxxxx"), "gzip"},
		"half of a profile":        {whole[:len(whole)/2], "cut off"},
		"a varint of eleven bytes": {bytes.Repeat([]byte{0xff}, 11), "too long, 11 bytes before the end"},
		"a field 0":                {[]byte{0, 1}, "the number 0, 2 bytes before the end"},
		"a text for a number":      {number.Bytes(), "field 9 is not a number"},
		"a number for a message":   {message.Bytes(), "field 2 is a number"},
		"a group":                  {[]byte{3}, "wire type 3"},
	} {
		faults, err := Profile(bytes.NewReader(c.bytes))
		if err == nil || !strings.Contains(err.Error(), c.want) || faults != nil {
			t.Errorf("%s: %v, %d faults; want %q", about, err, len(faults), c.want)
		}
	}
}

// checkAgrees demands that an error comes without faults, that no rule is listed twice or out of order, and that what
// has no error is good enough for google/pprof.
func checkAgrees(t *testing.T, b []byte) (valid bool) {
	t.Helper()
	faults, err := Profile(bytes.NewReader(b))
	if err != nil {
		if faults != nil {
			t.Fatalf("%v, and %d faults", err, len(faults))
		}
		return false
	}
	next, worst := 0, Warning
	for _, fault := range faults {
		for next < int(ruleCount) && rules[next] != fault.Rule {
			next++
		}
		if next == int(ruleCount) || fault.Count < 1 || fault.Where == "" {
			t.Fatalf("%+v", fault)
		}
		next++
		worst = max(worst, fault.Severity)
	}
	if err := slowCheck(b); err != nil && worst < Error {
		t.Fatalf("google/pprof: %v; faults: %v; % x", err, faults, b)
	}
	return worst < Error
}

// slowCheck is google/pprof's opinion, without the formats of old that it tries when it cannot read one.
func slowCheck(b []byte) error {
	f, err := uncompressed(bytes.NewReader(b))
	if err != nil {
		return err
	}
	p, err := profile.ParseUncompressed(f.Raw)
	if err != nil {
		return err
	}
	return p.CheckValid()
}

// Other rules may speak of go tool pprof too, because it misreads what breaks them.
func TestGooglePprofRefusesWhatTheRulesSayItRefuses(t *testing.T) {
	refused := []ruleID{
		stringZero, stringReference, idZero, idTwice, functionReference, locationReference, lineFunction, valueCount, timeAgain,
	}
	for r, broken := range breaks {
		d := healthy()
		broken.do(d)
		err, want := slowCheck(d.encode()), slices.Contains(refused, r)
		if want != (err != nil) {
			t.Errorf("%s: google/pprof says %v", rules[r].Name, err)
		}
		if says := regexp.MustCompile("(all readers|go tool pprof).* refuse"); want && !says.MatchString(rules[r].Sentence) {
			t.Errorf("%s does not say that go tool pprof refuses: %s", rules[r].Name, rules[r].Sentence)
		}
	}
}

func TestProfileWithAByteChangedIsJudgedAsByGooglePprof(t *testing.T) {
	rng, whole, valid := rand.New(rand.NewPCG(1, 2)), healthy().encode(), 0
	const tries = 20_000
	for range tries {
		b := bytes.Clone(whole)
		for range 1 + rng.IntN(2) {
			b[rng.IntN(len(b))] = byte(rng.IntN(256))
		}
		if checkAgrees(t, b) {
			valid++
		}
	}
	if valid < tries/10 || valid > tries*9/10 {
		t.Errorf("%d of %d are still valid: the test says little", valid, tries)
	}
}

func FuzzProfile(f *testing.F) {
	f.Add(healthy().encode())
	for _, broken := range breaks {
		d := healthy()
		if broken.do(d); len(d.encode()) < 1<<12 {
			f.Add(d.encode())
		}
	}
	f.Add(gzipped(f, healthy().encode()))
	f.Fuzz(func(t *testing.T, b []byte) { checkAgrees(t, b) })
}

// BenchmarkProfile is against google/pprof, which parses and checks the same bytes.
func BenchmarkProfile(b *testing.B) {
	d, rng := healthy(), rand.New(rand.NewPCG(1, 1))
	for i := len(d.locations); i < 10_000; i++ {
		d.locations = append(d.locations, location{id: uint64(i + 1), mapping: 2, address: uint64(0x2000 + i), lines: []uint64{1}})
	}
	for len(d.samples) < 50_000 {
		s := d.samples[0]
		s.locations = make([]uint64, 30)
		for i := range s.locations {
			s.locations[i] = 1 + rng.Uint64N(10_000)
		}
		d.samples = append(d.samples, s)
	}
	raw := d.encode()
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Profile(bytes.NewReader(raw)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("baseline: google_pprof", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := slowCheck(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}
