"""Has memory on a device at its end, and prints how many bytes that is: by the driver, and with PyTorch, if it is here, by its pools."""

import ctypes
import os
import sys

cuda = ctypes.CDLL("libcuda.so.1")
context, block = ctypes.c_void_p(), ctypes.c_uint64()
free, again, total = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_size_t()
for call in (
    lambda: cuda.cuInit(0),
    lambda: cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
    lambda: cuda.cuCtxSetCurrent(context),
    lambda: cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
    lambda: cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(64 << 20)),
    lambda: cuda.cuMemGetInfo_v2(ctypes.byref(again), ctypes.byref(total)),
):
    failed = call()
    if failed:
        sys.exit(f"the driver returned {failed}")
held = free.value - again.value
try:
    import torch
except ImportError:
    pass
else:
    if torch.cuda.is_available():
        blocks = [torch.empty(n << 20, dtype=torch.uint8, device="cuda") for n in (30, 64, 3, 200)]
        held += torch.cuda.memory_reserved()
print(held, flush=True)
os._exit(0)  # nothing is freed
