package report

import (
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "0.977 KiB", 1023487: "999 KiB", 1023488: "0.976 MiB", 1 << 20: "1 MiB", -3 << 30: "-3 GiB", 1<<63 - 1: "8 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// Three digits are three digits: what rounds to a thousand has the next unit.
func TestAThousandIsWrittenInTheNextUnit(t *testing.T) {
	for n := int64(1); n > 0; n *= 2 {
		for _, near := range []float64{0.97, 0.975, 0.976, 0.9765, 0.97651, 0.97656, 1} {
			for _, bytes := range []int64{int64(float64(n) * near), -int64(float64(n) * near)} {
				v := float64(bytes)
				for _, got := range []string{Bytes(bytes), PlusMinus(v, 1), PlusMinus(v+0.4, 0.6), PlusMinus(1, max(1, v)), PlusMinus(v-0.4, v/2)} {
					if strings.Contains(got, "e+") {
						t.Errorf("%d: %q", bytes, got)
					}
				}
			}
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
	}{{5 << 20, 0, "5 MiB"}, {5 << 20, 1 << 18, "5 ± 0.25 MiB"}, {-1000, 3000, "-0.977 ± 2.93 KiB"}, {0, 0.4, "0 B"}, {100, 50, "100 ± 50 B"},
		{1023700, 591872, "0.976 ± 0.564 MiB"}, {999.6, 500, "0.977 ± 0.488 KiB"}} {
		if got := PlusMinus(c.value, c.half); got != c.want {
			t.Errorf("%v ± %v is %q, want %q", c.value, c.half, got, c.want)
		}
	}
}
