package counter

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

struct counted { int64_t bytes, blocks, peak, in_use; };

static void *volatile wasted;

static void waste(size_t bytes)
{
	wasted = malloc(bytes);
	free(wasted);
}

static int begin(int span)
{
	void (*f)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "counter_begin");
	if (f != 0)
		f(span);
	return f != 0;
}

static struct counted end(int span)
{
	struct counted c = {-1, -1, -1, -1};
	void (*f)(int, struct counted *) = (void (*)(int, struct counted *))dlsym(RTLD_DEFAULT, "counter_end");
	if (f != 0)
		f(span, &c);
	return c;
}
*/
import "C"

// Counted is what was counted in a span.
type Counted struct{ Bytes, Blocks, Peak, InUse int64 }

// Span is a span of time, from Begin to End. There are two, 0 and 1.
type Span int

// Begin begins to count. It reports whether there is a library that counts.
func (s Span) Begin() bool { return C.begin(C.int(s)) != 0 }

// End returns what was counted.
func (s Span) End() Counted {
	c := C.end(C.int(s))
	return Counted{int64(c.bytes), int64(c.blocks), int64(c.peak), int64(c.in_use)}
}

// Waste allocates bytes, and frees them.
func Waste(bytes int) { C.waste(C.size_t(bytes)) }
