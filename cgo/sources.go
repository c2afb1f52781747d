package cgo

import "embed"

// Sources are the C files of this package, of which package preload makes a library.
//
//go:embed *.c *.h
var Sources embed.FS
