package guilty

import (
	"slices"
	"strings"
)

// pools are the beginnings of names of functions that allocate blocks to cut them into smaller ones.
var pools = []string{
	"g_slice_alloc", "g_slice_copy", "apr_palloc", "apr_pcalloc", "_obstack_newchunk", "heap_page_allocate", "AllocSetAlloc", "ngx_palloc",
	"google::protobuf::internal::SerialArena::", "google::protobuf::internal::ThreadSafeArena::", "google::protobuf::Arena::", "rocksdb::Arena::", "leveldb::Arena::",
	"std::pmr::monotonic_buffer_resource::", "std::pmr::unsynchronized_pool_resource::", "std::pmr::synchronized_pool_resource::", "boost::pool<", "llvm::BumpPtrAllocatorImpl<",
	// Of devices: PyTorch, TensorFlow, ONNX Runtime, RAPIDS, ggml.
	"c10::cuda::CUDACachingAllocator::", "c10::hip::HIPCachingAllocator::", "tsl::BFCAllocator::", "onnxruntime::BFCArena::", "rmm::mr::pool_memory_resource<",
	"ggml_cuda_pool_",
}

// within has for pools the beginnings of the names of the libraries that have them: what these hold, they hold through blocks that they cut.
var within = []struct {
	pool      string
	libraries []string
}{
	{"g_slice_", []string{"libglib-2.0.so", "libgobject-2.0.so"}}, {"apr_", []string{"libapr-1.so"}}, {"heap_page_allocate", []string{"libruby"}},
	{"google::protobuf::", []string{"libprotobuf"}}, {"rocksdb::", []string{"librocksdb"}}, {"leveldb::", []string{"libleveldb"}}, {"llvm::", []string{"libLLVM"}},
	{"c10::cuda::", []string{"libc10_cuda.so"}}, {"c10::hip::", []string{"libc10_hip.so"}}, {"onnxruntime::", []string{"libonnxruntime"}},
}

// IsOfPool reports whether a holder's name is that of data of the library that has a pool, by its function.
func IsOfPool(holder, pool string) bool {
	for _, w := range within {
		if strings.HasPrefix(pool, w.pool) && slices.ContainsFunc(w.libraries, func(library string) bool {
			return strings.HasPrefix(holder, library) || strings.Contains(holder, "("+library) || strings.Contains(holder, ", "+library)
		}) {
			return true
		}
	}
	return false
}

// callers is how far out of the innermost function such a one is looked for: what it calls back allocates blocks of its own.
const callers = 4

// Pool returns the function of a stack that is known to cut the block into smaller ones; "" if there is none. Inner is as in Who.
func Pool[L any](stack []L, inner int, known func(*L) Line) string {
	for i := range stack[:min(len(stack), inner+1+callers)] {
		name := known(&stack[i]).Function
		if slices.ContainsFunc(pools, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			return name
		}
	}
	return ""
}
