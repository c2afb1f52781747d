// Package report makes of weighted stacks what leaves the process: a pprof profile or a text, with names, without the
// machinery between Go and C, and no larger than it may be.
//
//	samples ─► cut: the largest, and the sum of the rest
//	        ─► frames: every different one, once ─► names, file by file
//	        ─► trim: which frames of a stack are seen
//	        ─► pprof's encoder, or a text for a person
//
// A profile of a large service has millions of frames and some thousands of different ones. So each is looked up in a
// table made for that (frames.go), and everything that is known of it, its names, whether it is shown and its location in
// the profile, is kept by its number there.
//
// The order of everything follows that of the samples: the same samples make the same bytes.
package report
