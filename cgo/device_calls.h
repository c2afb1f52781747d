// The functions of CUDA's driver that give and take memory, in one list: the hooks (hooks_device.c), what they answer for, and the
// public names that allocators/cuda defines (family_test.go makes it) come from it.
//
// To add a function: a row here, and a name below; if it is a DOES, its slow half in hooks_device.c. Then
// go test ./cgo -run Family -update.
#ifndef CGOHEAP_DEVICE_CALLS_H
#define CGOHEAP_DEVICE_CALLS_H

#include <stddef.h>
#include <stdint.h>

// As cuda.h has them.
#define CUDA_SUCCESS 0
#define CUDA_ERROR_NOT_FOUND 500
#define CUDA_DEVICE_ORDINAL 9    // of cuPointerGetAttribute
#define CUDA_LOCATION_DEVICE 1   // of an allocation's properties
#define CUDA_ARRAY_SPARSE 0x40   // flags of arrays without memory of their own
#define CUDA_ARRAY_DEFERRED 0x80

struct cuda_array2 {
	size_t width, height;
	unsigned format, channels;
};

struct cuda_array3 {
	size_t width, height, depth;
	unsigned format, channels, flags;
};

struct cuda_properties {
	int type, handles;
	struct {
		int type, id;
	} location;
};

// A row is what it does, the name, the least version of CUDA for which cuGetProcAddress has functions with these parameters, the
// parameters and the arguments. GIVES: also the block that it gives, as a struct device_block. TAKES: also the key of the block that it
// frees. DOES: also whether its slow half runs when nothing is recorded.
#define DEVICE_CALLS(X) \
	X(GIVES, cuMemAlloc_v2, 3020, (uint64_t *to, size_t bytes), (to, bytes), in_context(d, *to, bytes, DEVICE_MEMORY)) \
	X(GIVES, cuMemAllocPitch_v2, 3020, (uint64_t *to, size_t *pitch, size_t width, size_t height, unsigned element), \
		(to, pitch, width, height, element), in_context(d, *to, *pitch * height, DEVICE_MEMORY)) \
	X(GIVES, cuMemAllocManaged, 6000, (uint64_t *to, size_t bytes, unsigned flags), (to, bytes, flags), \
		in_context(d, *to, bytes, DEVICE_MANAGED)) \
	X(GIVES, cuMemAllocAsync, 11020, (uint64_t *to, size_t bytes, void *stream), (to, bytes, stream), in_pool(d, *to, bytes)) \
	X(GIVES, cuMemAllocFromPoolAsync, 11020, (uint64_t *to, size_t bytes, void *pool, void *stream), (to, bytes, pool, stream), \
		in_pool(d, *to, bytes)) \
	X(GIVES, cuMemAllocHost_v2, 3020, (void **to, size_t bytes), (to, bytes), in_context(d, (uintptr_t)*to, bytes, DEVICE_PINNED)) \
	X(GIVES, cuMemHostAlloc, 2020, (void **to, size_t bytes, unsigned flags), (to, bytes, flags), \
		in_context(d, (uintptr_t)*to, bytes, DEVICE_PINNED)) \
	X(GIVES, cuMemHostRegister_v2, 4000, (void *p, size_t bytes, unsigned flags), (p, bytes, flags), \
		in_context(d, device_key(DEVICE_REGISTERED, (uintptr_t)p), bytes, DEVICE_PINNED)) \
	X(GIVES, cuArrayCreate_v2, 3020, (void **to, const struct cuda_array2 *a), (to, a), in_array(d, *to, size2(a))) \
	X(GIVES, cuArray3DCreate_v2, 3020, (void **to, const struct cuda_array3 *a), (to, a), in_array(d, *to, size3(a, 1))) \
	X(GIVES, cuMipmappedArrayCreate, 5000, (void **to, const struct cuda_array3 *a, unsigned levels), (to, a, levels), \
		in_array(d, *to, size3(a, levels))) \
	X(TAKES, cuMemFree_v2, 3020, (uint64_t p), (p), p) \
	X(TAKES, cuMemFreeAsync, 11020, (uint64_t p, void *stream), (p, stream), p) \
	X(TAKES, cuMemFreeHost, 2000, (void *p), (p), (uintptr_t)p) \
	X(TAKES, cuMemHostUnregister, 4000, (void *p), (p), device_key(DEVICE_REGISTERED, (uintptr_t)p)) \
	X(TAKES, cuArrayDestroy, 2000, (void *array), (array), device_key(DEVICE_ARRAY, (uintptr_t)array)) \
	X(TAKES, cuMipmappedArrayDestroy, 5000, (void *array), (array), device_key(DEVICE_ARRAY, (uintptr_t)array)) \
	X(DOES, cuMemCreate, 10020, (uint64_t *to, size_t bytes, const struct cuda_properties *properties, uint64_t flags), \
		(to, bytes, properties, flags), false) \
	X(DOES, cuMemRelease, 10020, (uint64_t handle), (handle), false) \
	X(DOES, cuMemRetainAllocationHandle, 11000, (uint64_t *to, void *at), (to, at), false) \
	X(DOES, cuMemMap, 10020, (uint64_t at, size_t bytes, size_t offset, uint64_t handle, uint64_t flags), \
		(at, bytes, offset, handle, flags), false) \
	X(DOES, cuMemUnmap, 10020, (uint64_t at, size_t bytes), (at, bytes), false) \
	X(DOES, cuCtxDestroy_v2, 2000, (void *context), (context), false) \
	X(DOES, cuDevicePrimaryCtxRetain, 7000, (void **to, int device), (to, device), true) \
	X(DOES, cuDevicePrimaryCtxRelease_v2, 7000, (int device), (device), false) \
	X(DOES, cuDevicePrimaryCtxReset_v2, 7000, (int device), (device), false) \
	X(DOES, cuGetProcAddress_v2, 11030, (const char *name, void **to, int version, uint64_t flags, void *status), \
		(name, to, version, flags, status), true)

// The public names: the name, the row that has its parameters, and a number of its own among the row's names. The functions whose names
// lack _v2 and are not here have other parameters, of 32 bits: nothing has called them since CUDA 3.2.
#define DEVICE_NAMES(X) \
	X(cuMemAlloc_v2, cuMemAlloc_v2, 0) \
	X(cuMemAllocPitch_v2, cuMemAllocPitch_v2, 0) \
	X(cuMemAllocManaged, cuMemAllocManaged, 0) \
	X(cuMemAllocAsync, cuMemAllocAsync, 0) \
	X(cuMemAllocAsync_ptsz, cuMemAllocAsync, 1) \
	X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 0) \
	X(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync, 1) \
	X(cuMemAllocHost_v2, cuMemAllocHost_v2, 0) \
	X(cuMemHostAlloc, cuMemHostAlloc, 0) \
	X(cuMemHostRegister_v2, cuMemHostRegister_v2, 0) \
	X(cuMemHostRegister, cuMemHostRegister_v2, 1) \
	X(cuArrayCreate_v2, cuArrayCreate_v2, 0) \
	X(cuArray3DCreate_v2, cuArray3DCreate_v2, 0) \
	X(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 0) \
	X(cuMemFree_v2, cuMemFree_v2, 0) \
	X(cuMemFreeAsync, cuMemFreeAsync, 0) \
	X(cuMemFreeAsync_ptsz, cuMemFreeAsync, 1) \
	X(cuMemFreeHost, cuMemFreeHost, 0) \
	X(cuMemHostUnregister, cuMemHostUnregister, 0) \
	X(cuArrayDestroy, cuArrayDestroy, 0) \
	X(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 0) \
	X(cuMemCreate, cuMemCreate, 0) \
	X(cuMemRelease, cuMemRelease, 0) \
	X(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 0) \
	X(cuMemMap, cuMemMap, 0) \
	X(cuMemUnmap, cuMemUnmap, 0) \
	X(cuCtxDestroy_v2, cuCtxDestroy_v2, 0) \
	X(cuCtxDestroy, cuCtxDestroy_v2, 1) \
	X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 0) \
	X(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease_v2, 0) \
	X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 1) \
	X(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset_v2, 0) \
	X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 1) \
	X(cuGetProcAddress_v2, cuGetProcAddress_v2, 0) \
	X(cuGetProcAddress, cuGetProcAddress_v2, 1)

#endif
