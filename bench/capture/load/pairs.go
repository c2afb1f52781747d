package main

// #cgo CFLAGS: -Wall -O2
// #cgo framed CFLAGS: -fno-omit-frame-pointer
// #cgo !framed CFLAGS: -fomit-frame-pointer
// #include "pairs.h"
import "C"

type order struct{ pairs, live, depth, climb, routes, least, most int }

type figures struct{ wall, cpu float64 }

type pairs C.struct_pairs

func openPairs(o order, seed int) *pairs {
	c := C.struct_order{pairs: C.long(o.pairs), live: C.long(o.live), depth: C.long(o.depth), routes: C.long(o.routes),
		climb: C.long(o.climb), least: C.long(o.least), most: C.long(o.most)}
	return (*pairs)(C.pairs_open(&c, C.uint64_t(seed)))
}

func (p *pairs) run() figures {
	found := C.pairs_run((*C.struct_pairs)(p))
	return figures{float64(found.wall), float64(found.cpu)}
}

func (p *pairs) close() { C.pairs_close((*C.struct_pairs)(p)) }
