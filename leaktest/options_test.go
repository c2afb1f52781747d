package leaktest

import "testing"

type wrapper struct{ testing.TB }

// If a later Go has these fields no more, all tests count as parallel, and this one fails.
func TestWhetherOthersRunIsKnown(t *testing.T) {
	if isParallel(t) || isParallel(wrapper{t}) || isParallel(&wrapper{wrapper{t}}) {
		t.Error("a test that runs alone counts as parallel")
	}
	if !isParallel(wrapper{}) || !isParallel(nil) {
		t.Error("what is no test of package testing counts as one that runs alone")
	}
	t.Run("sub", func(t *testing.T) {
		if isParallel(t) {
			t.Error("its subtest counts as parallel")
		}
	})
	t.Run("parallel", func(t *testing.T) {
		if isParallel(t) {
			t.Error("it counts as parallel before it is")
		}
		t.Parallel()
		if !isParallel(t) || !isParallel(wrapper{t}) {
			t.Error("it does not count as parallel")
		}
		t.Run("sub", func(t *testing.T) {
			if !isParallel(t) {
				t.Error("its subtest does not count as parallel")
			}
		})
	})
}

func TestABenchmarkRunsAlone(t *testing.T) {
	alone := false
	testing.Benchmark(func(b *testing.B) { alone = !isParallel(b) })
	if !alone {
		t.Error("it counts as parallel")
	}
}
