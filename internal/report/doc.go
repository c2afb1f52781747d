// Package report turns weighted stacks into a pprof profile or a text, with names, without the frames between Go and C,
// and no larger than its bounds.
//
//	samples ─► cut: the largest, and the sum of the rest
//	        ─► frames: every different one, once ─► names, file by file
//	        ─► trim: which frames of a stack are shown
//	        ─► pprof's encoder, or a text for a person
//
// A profile of a large service has millions of frames and some thousands of different ones. So each is looked up in a
// special table (frames.go), and its names, whether it is shown, and its location in the profile are kept under its number
// there.
//
// Where it is known what holds blocks, that is the last frame of their stacks, which is no code: names.go names it.
//
// The order of everything follows the order of the samples: the same samples make the same bytes.
package report
