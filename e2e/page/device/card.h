// What the service asks CUDA's driver for; each returns 0 or NULL if the driver refuses.
#include <stddef.h>
#include <stdint.h>

int card_open(void); // 0 if there is a card; for the calling thread

uint64_t load_layer(size_t bytes);
uint64_t extend_cache(size_t bytes);
void *stage_batch(size_t bytes);
