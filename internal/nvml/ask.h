// What NVML says of a card.
#ifndef CGOHEAP_NVML_ASK_H
#define CGOHEAP_NVML_ASK_H

#include <stdint.h>

#define NVML_UNKNOWN UINT64_MAX

struct nvml_card {
	uint64_t process, used, total; // in bytes; process may be NVML_UNKNOWN
};

// Why there is no answer.
enum nvml_end { NVML_ANSWERED, NVML_NO_CUDA, NVML_NOT_READY, NVML_NO_CARD, NVML_NO_LIBRARY, NVML_REFUSED };

// Asks for the card that CUDA has under a number. One caller at a time.
enum nvml_end cgoheap_nvml_ask(int number, struct nvml_card *card);

#endif
