package report

import "testing"

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "0.977 KiB", 1 << 20: "1 MiB", -3 << 30: "-3 GiB", 1<<63 - 1: "8 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for want, got := range map[string]string{
		"1 block": Count(1, "block"), "0 blocks": Count(0, "block"), "2 addresses": Count(2, "address"), "1 address": Count(1, "address"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAnEstimateHasItsError(t *testing.T) {
	for _, c := range []struct {
		value, half float64
		want        string
	}{{5 << 20, 0, "5 MiB"}, {5 << 20, 1 << 18, "5 ± 0.25 MiB"}, {-1000, 3000, "-0.977 ± 2.93 KiB"}, {0, 0.4, "0 B"}, {100, 50, "100 ± 50 B"}} {
		if got := PlusMinus(c.value, c.half); got != c.want {
			t.Errorf("%v ± %v is %q, want %q", c.value, c.half, got, c.want)
		}
	}
}
