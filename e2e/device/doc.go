// Command device compares what is recorded of CUDA's devices with what the driver says: how much of a device's memory is in use before and
// after calls that give and take it. check.sh builds and runs it, also as a library that is preloaded to Python, for PyTorch.
//
// As a program it opens the driver as CUDA's own runtime does, by dlsym and cuGetProcAddress.
package main
