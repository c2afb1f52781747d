package guilty

import "strings"

// libraries are the beginnings of names of functions that work for whoever calls them: of the standard libraries of C++ and
// Rust, and of devices' drivers and their run times, whose functions without a name are called after their file.
var libraries = []string{
	"std::", "__gnu_cxx::", "__cxxabiv1::", "operator new", "operator delete", "boost::container::", "absl::container_internal::",
	"alloc::", "core::", "hashbrown::", "<alloc::", "<std::", "<core::", "<hashbrown::", "void std::", "C.CString", "C.CBytes",
	"cuMem", "cuArray", "cudaMalloc", "cudaHost", "libcuda.so", "libcudart", "hipMalloc", "hipHost", "libamdhip64",
}

// wrappers are the ends of names of functions that allocate for their callers, in lower case.
var wrappers = []string{
	"malloc", "calloc", "realloc", "mallocz", "zalloc", "memalign", "strdup", "strndup", "memdup", "asprintf", "getline", "mmap",
}

// variants are suffixes that may follow such an end: sqlite3DbMallocRawNN, av_malloc_array. Digits may, too: malloc0.
var variants = []string{"_n", "nn", "raw", "zero", "_array", "array", "verbose"}

// shortPrefix is how long a library's prefix may be before alloc: av_alloc, xalloc. In conn_alloc it tells what is allocated.
const shortPrefix = 3

// tellsNothing reports whether a function is one that many others allocate through.
func tellsNothing(function string) bool {
	for _, prefix := range libraries {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	base := withoutBrackets(function)
	base = strings.ToLower(strings.Trim(base[strings.LastIndexAny(base, ":.")+1:], "_~"))
	for _, end := range variants {
		base = strings.TrimSuffix(base, end)
	}
	base = strings.TrimRight(base, "0123456789")
	for _, end := range wrappers {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	for _, end := range []string{"alloc", "allocate"} {
		if rest, ok := strings.CutSuffix(base, end); ok && len(strings.Trim(rest, "_")) <= shortPrefix-1 {
			return true
		}
	}
	return false
}

// withoutBrackets leaves out template arguments and parameters. Names with operators in them may lose more.
func withoutBrackets(name string) string {
	if !strings.ContainsAny(name, "<(") {
		return name
	}
	var kept strings.Builder
	depth := 0
	for _, c := range name {
		switch c {
		case '<', '(', '{':
			depth++
		case '>', ')', '}':
			depth--
		default:
			if depth == 0 {
				kept.WriteRune(c)
			}
		}
	}
	return kept.String()
}
