// Stand-ins for libcuda.so.1 (-DCUDA) and libnvidia-ml.so.1, of two cards that the two libraries count in opposite orders.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CARD_USED
#define CARD_USED (1ULL << 30) // of the first card, by all; of the second, twice as much
#define OWN_USED (1ULL << 20)  // by this process
#endif

static const char *const buses[] = {"0000:01:00.0", "0000:02:00.0"};

#ifdef CUDA
int cuDeviceGetCount(int *count)
{
	*count = 2;
	return getenv("STAND_IN_NOT_READY") != NULL ? 3 : 0;
}

int cuDeviceGet(int *card, int number)
{
	*card = 1 - number;
	return 0;
}

int cuDeviceGetPCIBusId(char *bus, int size, int card)
{
	strncpy(bus, buses[card], (size_t)size);
	return 0;
}
#else
struct memory {
	unsigned long long total, free, used;
};
struct older_process {
	unsigned pid;
	unsigned long long used;
};
struct process {
	unsigned pid;
	unsigned long long used;
	unsigned instance, compute_instance;
};

int nvmlInit_v2(void)
{
	while (getenv("STAND_IN_HANGS") != NULL)
		pause();
	return getenv("STAND_IN_REFUSES") != NULL ? 9 : 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **card)
{
	for (size_t i = 0; i < 2; i++)
		if (strcmp(bus, buses[i]) == 0) {
			*card = (void *)(i + 1);
			return 0;
		}
	return 6;
}

int nvmlDeviceGetMemoryInfo(void *card, struct memory *m)
{
	*m = (struct memory){80ULL << 30, 0, CARD_USED * (size_t)card};
	return 0;
}

#ifdef OLD
int nvmlDeviceGetComputeRunningProcesses(void *card, unsigned *count, struct older_process *list)
{
	if (*count < 2)
		return 7;
	list[0] = (struct older_process){1, 5ULL << 20};
	list[1] = (struct older_process){(unsigned)getpid(), OWN_USED * (size_t)card};
	*count = 2;
	return 0;
}
#else
int nvmlDeviceGetComputeRunningProcesses_v3(void *card, unsigned *count, struct process *list)
{
	unsigned own = getenv("STAND_IN_NOT_LISTED") != NULL ? 2 : (unsigned)getpid();
	unsigned long long half = OWN_USED / 2 * (size_t)card;
	if (*count < 3)
		return 7;
	list[0] = (struct process){1, 5ULL << 20, 0, 0};
	list[1] = (struct process){own, half, 1, 0};
	list[2] = (struct process){own, getenv("STAND_IN_DOES_NOT_SAY") != NULL ? ~0ULL : half, 2, 0};
	*count = 3;
	return 0;
}
#endif
#endif
