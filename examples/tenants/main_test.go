package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func TestSharesAreWhatTheTenantsAllocated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.pb.gz")
	var out strings.Builder
	if err := run(&out, path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	got := inUse(p)
	for tenant, n := range pages {
		want := float64(n * pageBytes)
		// A page is sampled with probability q = 1 - exp(-20,008 / 64 KiB), so the estimate of n pages has the standard
		// error sqrt(n (1 - q) / q) pages. By the binomial distribution, and a page of rounding, it is beyond 5.5 of these
		// in 9e-8 of all runs for 300 pages, 1.9e-7 for 75 and 4e-8 for 1800: in 3.2e-7 for any.
		q := -math.Expm1(-pageBytes / 65536.0)
		limit := 5.5 * pageBytes * math.Sqrt(float64(n)*(1-q)/q)
		if math.Abs(float64(got[tenant])-want) > limit {
			t.Errorf("%s holds %d bytes, want %.0f ± %.0f", tenant, got[tenant], want, limit)
		}
	}
	if first, _, _ := strings.Cut(out.String(), "\n"); !strings.HasPrefix(first, "umbra ") {
		t.Errorf("the largest is not the first:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "-tagfocus tenant=umbra "+path) {
		t.Error(out.String())
	}
}
