package report

import (
	"fmt"
	"math"
	"strings"
)

// Count formats a number of things, of which the noun is one.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bytes formats a number of bytes for a person: three digits, in the largest unit that leaves one before the point.
func Bytes(n int64) string {
	v, unit := float64(n), -1
	for math.Abs(v) >= 1000 && unit < 5 {
		v /= 1024
		unit++
	}
	if unit < 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.3g %ciB", v, "KMGTPE"[unit])
}

// PlusMinus formats an estimate of a number of bytes with half of its interval; without that if it is exact.
func PlusMinus(value, half float64) string {
	text := Bytes(int64(math.Round(value)))
	if half < 0.5 {
		return text
	}
	return text + " ± " + Bytes(int64(math.Round(half)))
}
