// Package cuda makes cgoheap see the memory that a program has on CUDA's devices. Import it in package main, for nothing but that:
//
//	import _ "github.com/cgoheap/cgoheap/allocators/cuda"
//
// Each block of a device is then in the profile, with the stack that asked for it: the label kind is "cuda", "cuda managed" or
// "cuda pinned" (host memory that a device may read), the label device "GPU 0" or another. All are recorded, also where malloc's blocks
// are sampled, and none counts as resident memory.
//
// This package defines dlsym and dlclose for the whole process, and the functions of CUDA's driver that give and take memory.
// Libraries mostly look these up by dlsym, or by cuGetProcAddress, which they look up by dlsym. For any other name dlsym is what it
// was, and in a dynamic program without CUDA nothing changes. In a static program without the tag cgoheap_wrap dlsym returns NULL;
// with the tag the import does nothing. docs/allocators.md says what is seen, and what is not.
package cuda
