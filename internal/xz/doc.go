// Package xz decompresses .xz data that may be hostile, for the symbol tables that distributions pack into programs
// (.gnu_debugdata).
//
//	stream header │ block: header, LZMA2 chunks, padding, check │ block … │ index │ footer
//	                                └► LZMA: literals and copies, coded bit by bit with adaptive probabilities
//
// The formats are described in "The .xz File Format" 1.2 and in the LZMA specification of the LZMA SDK. Input and result lie
// in memory as a whole. The result is the dictionary at the same time: a file can ask for a dictionary of four gigabytes,
// but no memory is reserved for it.
//
// The invariant: the result never exceeds the caller's limit, and the work is proportional to the input and the result. Each
// block's check is compared, be it CRC-32, CRC-64 or SHA-256; an error means no result.
//
// Deliberately absent: compression; filters for machine code and other than LZMA2, which nobody uses for symbol tables;
// several streams in a row; the index and the footer, which only repeat the blocks' sizes.
package xz
