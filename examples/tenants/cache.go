package main

/*
#include <stdlib.h>
#include <string.h>

// A page that was rendered, in a list of all that are kept.
struct page {
	struct page *next;
	char pixels[];
};

static struct page *cache;

static void render(size_t bytes)
{
	struct page *p = malloc(sizeof *p + bytes);
	memset(p->pixels, 0xff, bytes);
	p->next = cache;
	cache = p;
}
*/
import "C"

import "sync"

// The cache is C's, and knows nothing of threads.
var cache sync.Mutex

// renderPage renders a page of so many bytes and keeps it.
func renderPage(bytes int) {
	cache.Lock()
	defer cache.Unlock()
	C.render(C.size_t(bytes))
}
