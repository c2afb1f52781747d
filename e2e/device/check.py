"""Compares what is recorded with what the driver says, in Python: of the driver's functions by ctypes and, if it is here, of PyTorch."""

import ctypes
import sys

device = ctypes.CDLL(sys.argv[1])
device.device_recorded.restype = ctypes.c_int64
if device.device_start() != 0:
    sys.exit("recording did not start")
differs = False


def compare(what, used, recorded):
    global differs
    differs |= used != recorded
    print(f"{what}: {used} bytes by the driver, {recorded} recorded" + ("" if used == recorded else ": these differ"))


def by_the_driver():
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
    compare("ctypes", free.value - again.value, device.device_recorded(0))
    cuda.cuMemFree_v2(block)
    compare("ctypes, freed", 0, device.device_recorded(0))


def by_pytorch():
    import torch

    if not torch.cuda.is_available():
        print("left out: PyTorch has no device")
        return
    first = torch.zeros(1, device="cuda")  # contexts and modules take memory too, before
    torch.cuda.synchronize()
    free, reserved, recorded = torch.cuda.mem_get_info()[0], torch.cuda.memory_reserved(), device.device_recorded(0)
    blocks = [torch.empty(n << 20, dtype=torch.uint8, device="cuda") for n in (30, 64, 3, 200)]
    compare("PyTorch", free - torch.cuda.mem_get_info()[0], device.device_recorded(0) - recorded)
    compare("PyTorch's pools", torch.cuda.memory_reserved() - reserved, device.device_recorded(0) - recorded)
    del blocks, first
    torch.cuda.empty_cache()
    compare("PyTorch, freed", torch.cuda.memory_reserved(), device.device_recorded(0))


by_the_driver()
try:
    import torch  # noqa: F401
except ImportError:
    print("left out: python3 has no torch")
else:
    by_pytorch()
sys.exit(1 if differs else 0)
