// Package fastgzip is a gzip compressor for one kind of data: long runs of records that resemble the one before, as the
// samples of a profile do. Compression is most of the time that writing a profile takes. On samples this takes three
// quarters of the time of klauspost/compress at its fastest level, which takes half of that of the standard library, and
// the sizes of all three are within a few in a hundred.
//
//	Write ─► window: 32 KiB of the past │ 128 KiB to come
//	                                    ▼
//	          match:   steps, each a run of literals and a copy of something earlier
//	                                    ▼
//	          huffman: codes for the literals, lengths and distances that occur, once per block
//	                                    ▼
//	          block:   the codes' description, then the steps ─► bits ─► io.Writer
//
// Two things make the difference. A record mostly agrees with the previous one byte by byte, at the same distance, until
// something changes. So the search asks first whether the last distance goes on, which takes one comparison and no
// table; the same comparison says how many of the next bytes need not be tried because they differ. And blocks are
// twice as long as is usual, so that codes are made half as often, by the plain algorithm of Huffman's paper.
//
// The invariant: the output depends on the stream alone, not on how it was cut into calls of Write, and nothing of an
// earlier stream is left after Reset.
//
// What is deliberately absent: levels, flushing, stored blocks (bytes that do not compress grow by less than one in a
// hundred), names and times in the header, reading. github.com/klauspost/compress does all of that.
//
// The formats are those of RFC 1951 (deflate) and RFC 1952 (gzip).
package fastgzip
