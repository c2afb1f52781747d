package main

/*
#include <stdlib.h>
#include <string.h>

static char *copy_page(const char *text, size_t bytes) {
	char *page = malloc(bytes);
	if (page != NULL)
		memcpy(page, text, bytes);
	return page;
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

const (
	pageCount = 2000
	pageBytes = 16 << 10
	wordCount = 5000
)

// archive keeps its pages in C, where Go's collector need not scan them, and an index of the words in Go.
type archive struct {
	pages []*C.char
	index map[string][]int32 // the pages that have the word
}

func (a *archive) add(page string) {
	a.keep(page)
	a.indexWords(page)
}

func (a *archive) keep(page string) {
	a.pages = append(a.pages, C.copy_page((*C.char)(unsafe.Pointer(unsafe.StringData(page))), C.size_t(len(page))))
}

func (a *archive) indexWords(page string) {
	if a.index == nil {
		a.index = make(map[string][]int32)
	}
	number := int32(len(a.pages) - 1)
	for word := range strings.FieldsSeq(page) {
		a.index[word] = append(a.index[word], number)
	}
}

func (a *archive) close() {
	for _, page := range a.pages {
		C.free(unsafe.Pointer(page))
	}
	*a = archive{}
}

// newPage writes words in a fixed order that differs from page to page.
func newPage(number int) string {
	var text strings.Builder
	for word := number; text.Len() < pageBytes; word += 7*number + 1 {
		fmt.Fprintf(&text, "word%d ", word%wordCount)
	}
	return text.String()[:pageBytes]
}
