// Rows: code address → the rule that recovers its caller. Package unwind builds the tables; its Rule and Table define
// the format.
#ifndef CGOHEAP_ROWS_H
#define CGOHEAP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loads.h"

enum cfa_kind { CFA_NONE, CFA_FROM_SP, CFA_FROM_FP, CFA_DEREF_SP, CFA_DEREF_FP, CFA_PLT, CFA_UNKNOWN };
enum fp_kind { FP_SAME, FP_FROM_CFA, FP_FROM_SP, FP_UNKNOWN, FP_FROM_FP };
enum ra_kind { RA_FROM_CFA, RA_FROM_SP, RA_UNDEFINED, RA_UNKNOWN, RA_FROM_LR };
#define FLAG_SIGNAL_FRAME 1

struct rule {
	uint8_t cfa, fp, ra, flags;
	int32_t cfa_offset, cfa_extra, fp_offset, ra_offset;
};

// An executable range of a module and where its rows lie in the region.
struct range {
	uint64_t start, limit; // runtime addresses
	uint64_t base;         // runtime address that the rows' pcs count from
	uint64_t pcs, rules, set; // offsets: uint32 and uint16 per row, struct rule per distinct rule
	uint64_t data_start, data_limit, eh_frame_hdr; // where to find rules in memory while there are no rows; otherwise 0
	uint32_t rows;
	uint16_t module;
	uint16_t closable; // the module may be unloaded
	uint64_t go;       // offset of the struct go_code of its Go code; 0 if it has none, or if it is the program's own
};

struct code {
	uint64_t lo, hi;
};

static inline bool code_has(struct code c, uintptr_t pc)
{
	return pc >= c.lo && pc < c.hi;
}

// The Go code of a module, with the functions of the runtime that a walk must know. lo == hi for a function that was
// not found. A plugin has copies of its own.
struct go_code {
	struct code text, asmcgocall, crosscall2, mstart;
	uint64_t module;
};

// The module number of code that was made at run time and lies in no file. Modules that have a file have lower numbers.
#define MODULE_MADE 64000

// A module as a reader of the region needs it; strings follow without terminators.
struct module {
	uint64_t start, limit, bias;
	uint32_t build_id_size, path_size;
	char strings[];
};

// All ranges at one time, ascending, not overlapping. Replaced as a whole; only its cache ever changes.
struct index {
	uint32_t count;
	uint32_t go_module; // the module that holds the program's own Go code
	uint32_t plugins;   // how many ranges have other Go code
	uint64_t number;    // the first index of this recording has number 1
	uint64_t cache;     // offset of CACHE_ENTRIES struct cache_entry, zero at first: lookup.h
	struct loads loads; // read before the ranges were listed
	struct range ranges[];
};

// The range that holds pc, or NULL.
const struct range *index_find(const struct index *index, uintptr_t pc);

// The rule for pc inside range; NULL where no row covers it.
const struct rule *range_rule(const struct range *range, uintptr_t pc);

#endif
