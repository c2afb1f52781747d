// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

package symbolize

// family are the hooked functions that return memory.
var family = map[string]bool{
	"malloc":         true,
	"calloc":         true,
	"realloc":        true,
	"memalign":       true,
	"aligned_alloc":  true,
	"posix_memalign": true,
	"reallocarray":   true,
	"valloc":         true,
	"pvalloc":        true,
	"mmap":           true,
	"mremap":         true,
	"brk":            true,
	"sbrk":           true,
	"shmat":          true,
	"mmap64":         true,
}
