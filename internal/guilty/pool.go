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
