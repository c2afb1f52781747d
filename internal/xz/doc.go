// Package xz decompresses .xz data that may be hostile, for the symbol tables that distributions pack into programs
// (.gnu_debugdata).
//
//	stream header │ block: header, LZMA2 chunks, padding, check │ block … │ index │ footer
//	                                └► LZMA: literals and copies, coded bit by bit with adaptive probabilities
//
// The formats are those of "The .xz File Format" 1.2 and of the LZMA specification in the LZMA SDK. What is read lies in
// memory as a whole and so does the result, which is the dictionary at the same time: a file can ask for a dictionary of
// four gigabytes, and nothing is set aside for it.
//
// The invariant: the result never exceeds the limit that the caller gives, and the work is proportional to the input and
// the result. Each block's check is compared, be it CRC-32, CRC-64 or SHA-256; an error means no result.
//
// Deliberately absent: compression; filters for machine code and other than LZMA2, which nobody uses for symbol tables;
// several streams in a row; the index and the footer, which say only what the blocks have said.
package xz
