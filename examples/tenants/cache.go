package main

/*
#include <stdlib.h>
#include <string.h>

// A rendered page, in the list of all kept pages.
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

// The cache is in C, and is not safe for several threads at once.
var cache sync.Mutex

// renderPage renders a page of that many bytes and keeps it.
func renderPage(bytes int) {
	cache.Lock()
	defer cache.Unlock()
	C.render(C.size_t(bytes))
}
