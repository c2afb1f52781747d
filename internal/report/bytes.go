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
	size, unit := unitOf(float64(n))
	if size == 1 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.3g %s", float64(n)/size, unit)
}

// unitOf returns the unit in which to write a number of bytes, and how many bytes it has.
func unitOf(v float64) (size float64, unit string) {
	size = 1
	n := -1
	for math.Abs(v)/size >= 1000 && n < 5 {
		size *= 1024
		n++
	}
	if n < 0 {
		return 1, "B"
	}
	return size, string("KMGTPE"[n]) + "iB"
}

// PlusMinus formats an estimate of a number of bytes with half of its interval, in the unit of the larger; without that if it is exact.
func PlusMinus(value, half float64) string {
	if half < 0.5 {
		return Bytes(int64(math.Round(value)))
	}
	size, unit := unitOf(max(math.Abs(value), half))
	return fmt.Sprintf("%.3g ± %.3g %s", math.Round(value)/size, half/size, unit)
}
