package main

/*
#include <stdlib.h>
#include <string.h>

struct note {
	struct note *next;
	char text[];
};

static struct note *notes;

static int keep_note(const char *text, size_t size)
{
	struct note *n = malloc(sizeof *n + size);
	if (n == NULL)
		return 0;
	memcpy(n->text, text, size);
	n->next = notes;
	notes = n;
	return 1;
}
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"
)

var notes sync.Mutex // the list is in C, and is not safe for several threads at once

// keepNote keeps a copy of the text in C.
func keepNote(text []byte) error {
	notes.Lock()
	defer notes.Unlock()
	if C.keep_note((*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.size_t(len(text))) == 0 {
		return errors.New("out of memory")
	}
	return nil
}
