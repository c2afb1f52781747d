// Package flame draws a profile as a flame graph: a picture in which each box is a function, its width the bytes that
// were allocated at or below it, and the boxes under it the functions that it called.
//
//	┌───────────────────────────── all ─────────────────────────────┐
//	├────────── handleThumbnail ───────────┬──── handleReport ──────┤    callers above,
//	├──── raster_cache_thumbnail ─────┬────┴─────┬──────────────────┘    callees below
//	└─── operator new ────────────────┘          └ ...
//
// The way from a profile to a picture is one file per step: tree (samples become a tree of functions), layout (the tree
// becomes boxes with coordinates), then svg or png (boxes become a picture). The colour of a box says in which language
// its function is written.
package flame
