package report

import (
	"errors"
	"fmt"
	"math"
	"strconv"
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

// unitOf returns the unit in which to write a number of bytes, and how many bytes it has: what rounds to four digits has the next one.
func unitOf(v float64) (size float64, unit string) {
	size = 1
	n := -1
	for math.Abs(v)/size >= 999.5 && n < 5 {
		size *= 1024
		n++
	}
	if n < 0 {
		return 1, "B"
	}
	return size, string("KMGTPE"[n]) + "iB"
}

// byteUnits are what ParseBytes takes.
var byteUnits = []struct {
	suffix string
	bytes  float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}, {"", 1}}

// ParseBytes returns a number of bytes, which a person wrote as 65536, 512KiB or 1.5 MiB.
func ParseBytes(value string) (int64, error) {
	for _, u := range byteUnits {
		number, found := strings.CutSuffix(value, u.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if n *= u.bytes; err != nil || !(n >= 0) || n != math.Trunc(n) || n > 1<<53 {
			break
		}
		return int64(n), nil
	}
	return 0, errors.New("it must be a number of bytes, such as 65536, 512KiB, 1.5MiB or 2GiB")
}

// PlusMinus formats an estimate of a number of bytes with half of its interval, in the unit of the larger; without that if it is exact.
func PlusMinus(value, half float64) string {
	if half < 0.5 {
		return Bytes(int64(math.Round(value)))
	}
	value = math.Round(value)
	size, unit := unitOf(max(math.Abs(value), half))
	return fmt.Sprintf("%.3g ± %.3g %s", value/size, half/size, unit)
}
