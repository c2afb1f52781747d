package leaktest_test

import (
	"os"
	"testing"

	"github.com/cgoheap/cgoheap/leaktest"
)

// A package of C bindings has this in its test files. The first call of the library, before the tests, allocates what the
// library keeps until the program ends.
func ExampleCheck() {
	_ = func(m *testing.M) { // func TestMain(m *testing.M)
		query("warm up")
		os.Exit(m.Run())
	}
	_ = func(t *testing.T) { // func TestQuery(t *testing.T)
		leaktest.Check(t)
		query("SELECT 1")
	}
}

// A library that keeps its log's buffer, whenever it first logs.
func ExampleIgnoreFunction() {
	_ = func(t *testing.T) { // func TestLog(t *testing.T)
		leaktest.Check(t, leaktest.IgnoreFunction("C.log_open", "buffer_*"))
		query("LOG")
	}
}

// query stands for a function that calls C.
func query(string) {}
