// Package layout has the layout of the region as numbers: Go reads the region's structures in place while C writes them, and
// a program that knows these numbers could read the region of another process.
//
// SizeofSite is the size of C's struct site, and SiteStack is the offset of its field stack; the comment has the field's type.
// Package cgo makes the numbers from its C, and its test fails if they differ from it.
package layout
