#include <stddef.h>
#include <stdint.h>

#define SITES 16

/* Counted before each call and after it. */
struct site {
	uint64_t begun, allocated, leaving, freed;
};

/* What the service does at the moment. Before its start and after its stop there is no box. */
enum phase { BETWEEN, STARTING, RECORDING, STOPPING };

struct truth {
	uint64_t phase;   /* an enum phase; the sites are those of this recording, all zero before it */
	uint64_t dumping; /* profiles that are being written */
	struct site sites[SITES];
};

void storm(struct truth *t, int threads, int microseconds);
size_t size_of(int site);
