//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "ask.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUS_BYTES 32
#define PROCESSES 512
#define FIRST_PIDS 0xEFFFFFFC // the inode of the first PID namespace: PROC_PID_INIT_INO of Linux

// As nvml.h has them: https://docs.nvidia.com/deploy/nvml-api.
struct memory {
	unsigned long long total, free, used;
};
struct process { // nvmlProcessInfo_v2_t
	unsigned pid;
	unsigned long long used;
	unsigned instance, compute_instance;
};
struct older_process { // nvmlProcessInfo_v1_t
	unsigned pid;
	unsigned long long used;
};

typedef void *device;

static struct {
	void *library;
	int (*memory)(device, struct memory *);
	int (*by_bus)(const char *, device *);
	int (*processes)(device, unsigned *, void *);
	size_t process_bytes;
} nvml;

static void *find(const char *name)
{
	return dlsym(nvml.library, name);
}

static enum nvml_end open_nvml(void)
{
	if (nvml.library != NULL)
		return NVML_ANSWERED;
	nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (nvml.library == NULL)
		return NVML_NO_LIBRARY;
	int (*init)(void) = find("nvmlInit_v2");
	nvml.memory = find("nvmlDeviceGetMemoryInfo");
	nvml.by_bus = find("nvmlDeviceGetHandleByPciBusId_v2");
	nvml.process_bytes = sizeof(struct process);
	nvml.processes = find("nvmlDeviceGetComputeRunningProcesses_v3");
	if (nvml.processes == NULL)
		nvml.processes = find("nvmlDeviceGetComputeRunningProcesses_v2");
	if (nvml.processes == NULL) {
		nvml.processes = find("nvmlDeviceGetComputeRunningProcesses");
		nvml.process_bytes = sizeof(struct older_process);
	}
	if (init != NULL && nvml.memory != NULL && nvml.by_bus != NULL && init() == 0)
		return NVML_ANSWERED;
	dlclose(nvml.library);
	nvml.library = NULL;
	return NVML_REFUSED;
}

// The address on the bus of the card that CUDA has under a number.
static enum nvml_end bus_of(int number, char *bus)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	if (cuda == NULL)
		return NVML_NO_CUDA;
	int (*count)(int *) = dlsym(cuda, "cuDeviceGetCount"), (*get)(int *, int) = dlsym(cuda, "cuDeviceGet");
	int (*bus_id)(char *, int, int) = dlsym(cuda, "cuDeviceGetPCIBusId");
	int cards = 0, card;
	enum nvml_end end = NVML_NO_CARD;
	if (count == NULL || get == NULL || bus_id == NULL || count(&cards) != 0)
		end = NVML_NOT_READY;
	else if (number < cards && get(&card, number) == 0 && bus_id(bus, BUS_BYTES, card) == 0)
		end = NVML_ANSWERED;
	dlclose(cuda);
	return end;
}

// Whether no other process can have this one's number in the driver's list.
static bool in_first_pids(void)
{
	struct stat pids;
	return stat("/proc/self/ns/pid", &pids) == 0 && pids.st_ino == FIRST_PIDS;
}

// The bytes that this process uses, among those of all processes that compute on the card. A card that is parted (MIG) may list a process
// once for each part.
static uint64_t process_on(device d)
{
	static _Alignas(struct process) char list[PROCESSES * sizeof(struct process)];
	unsigned count = PROCESSES;
	uint64_t used = 0;
	bool listed = false;
	if (nvml.processes == NULL || !in_first_pids())
		return NVML_UNKNOWN;
	if (nvml.processes(d, &count, list) != 0 || count > PROCESSES)
		return NVML_UNKNOWN;
	for (unsigned i = 0; i < count; i++) {
		const struct older_process *p = (const void *)(list + i * nvml.process_bytes); // both begin alike
		if (p->pid != (unsigned)getpid())
			continue;
		if (p->used == NVML_UNKNOWN) // which is NVML_VALUE_NOT_AVAILABLE
			return NVML_UNKNOWN;
		listed = true;
		used += p->used;
	}
	return listed ? used : NVML_UNKNOWN;
}

enum nvml_end cgoheap_nvml_ask(int number, struct nvml_card *card)
{
	char bus[BUS_BYTES] = "";
	device d = NULL;
	struct memory m = {0};
	enum nvml_end end = bus_of(number, bus);
	if (end == NVML_ANSWERED)
		end = open_nvml();
	if (end != NVML_ANSWERED)
		return end;
	if (nvml.by_bus(bus, &d) != 0 || nvml.memory(d, &m) != 0)
		return NVML_REFUSED;
	*card = (struct nvml_card){process_on(d), m.used, m.total};
	return NVML_ANSWERED;
}
