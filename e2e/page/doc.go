// Package page tests the page at /debug/cgoheap/ in a real browser: Debian's chromium, without a window. make page runs the
// tests; make pictures takes the pictures for docs.
package page
