package main

// A suite is a set of tests of another project.
type suite struct {
	name     string
	module   string   // path@version; "": packages of Go's own tree
	packages []string // patterns for go test
	short    bool
	only     string            // a file of the package: only its tests are run; "": all
	programs string            // folders of Go's tree whose main packages get the import; "": the package under test gets it
	keeps    []keep            // what leaktest finds in its tests, and is no leak
	leaks    map[string]string // tests in which leaktest finds leaks, and why they are
}

// A keep is a function whose blocks a library keeps for good.
type keep struct{ function, reason string }

func suites() []suite {
	here := []string{"."}
	return []suite{
		{name: "go-sqlite3", module: "github.com/mattn/go-sqlite3@v1.14.52", packages: here, short: true, leaks: map[string]string{
			"TestBoolean":            "the test closes its database, but not the last rows of it, which keep a connection",
			"TestDateTimeLocal":      "the test does not close the last of the databases that it opens",
			"TestDeferredForeignKey": "the test does not end the transaction that it has begun, which keeps a connection",
			"TestFloat32":            "the test does not close its rows, which keep a connection",
			"TestNilAndEmptyBytes":   "the test does not close its rows, which keep a connection",
			"TestNull":               "the test does not close its rows, which keep a connection",
			"TestReadonly":           "the test does not close its two databases",
			"TestStmtReadonly":       "the test does not close its database",
		}},
		{name: "zstd", module: "github.com/DataDog/zstd@v1.5.7", packages: here, short: true, leaks: map[string]string{
			"TestStreamFlushError":                         "the test does not close its Writer, which has no finalizer",
			"TestStreamDecompressionUnexpectedEOFHandling": "the test does not close its reader, which has no finalizer",
		}},
		{name: "gozstd", module: "github.com/valyala/gozstd@v1.24.0", packages: here, short: true},
		{name: "pg_query_go", module: "github.com/pganalyze/pg_query_go/v6@v6.2.5", packages: here, short: true, keeps: []keep{
			{"AllocSetContextCreateInternal", "each thread keeps what PostgreSQL initializes in it, and the contexts that it has freed, until it ends"},
		}},
		// The other grammars have the same test, and take minutes to compile.
		{name: "go-tree-sitter", module: "github.com/smacker/go-tree-sitter@v0.0.0-20240827094217-dd81d9e9be82",
			packages: []string{".", "./c", "./golang", "./javascript", "./python"}, short: true,
			leaks: map[string]string{
				"TestQueryWithPredicates": "NewQuery sets no finalizer and frees nothing if it refuses a predicate: 26 queries in 26 such cases, a bug of the library",
			}},
		{name: "webp", module: "github.com/chai2010/webp@v1.4.0", packages: here, short: true},
		{name: "secp256k1", module: "github.com/ethereum/go-ethereum@v1.17.10", packages: []string{"./crypto/secp256k1"}, short: true},
		{name: "test", packages: []string{"cmd/cgo/internal/test"}, short: true},
		// With -short, these three skip everything.
		{name: "testcshared", packages: []string{"cmd/cgo/internal/testcshared"}, programs: "cmd/cgo/internal/testcshared/testdata"},
		{name: "testcarchive", packages: []string{"cmd/cgo/internal/testcarchive"}, programs: "cmd/cgo/internal/testcarchive/testdata"},
		{name: "testplugin", packages: []string{"cmd/cgo/internal/testplugin"}, programs: "cmd/cgo/internal/testplugin/testdata"},
		{name: "testprogcgo", packages: []string{"runtime"}, short: true, only: "crash_cgo_test.go",
			programs: "runtime/testdata/testprogcgo"},
	}
}

// A mode is an environment in which a suite that imports auto is run.
type mode struct {
	name    string
	env     []string
	records bool
}

var modes = []mode{
	{name: "off", env: []string{"CGOHEAP=off"}},
	{name: "default", records: true},
	{name: "SampleBytes 1", env: []string{"CGOHEAP_SAMPLE_BYTES=1"}, records: true},
}
