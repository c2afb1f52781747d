package stack

import (
	"math"
	"testing"
)

func TestSumsThatAreTooLarge(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct{ a, b, want int64 }{
		{1, 2, 3}, {most, 1, most}, {1, most, most}, {most, most, most}, {most, 0, most}, {most, -1, most - 1},
		{least, -1, least}, {least, least, least}, {least, most, -1}, {-3, 5, 2},
	} {
		v := Values{c.a, c.a, c.a, c.a}
		v.Add(Values{c.b, c.b, c.b, c.b})
		if v != (Values{c.want, c.want, c.want, c.want}) {
			t.Errorf("%d and %d are %+v, want %d", c.a, c.b, v, c.want)
		}
	}
}
