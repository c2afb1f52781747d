package guilty

import "testing"

func TestFunctionsThatTellNothing(t *testing.T) {
	for _, name := range []string{
		"malloc", "cudaMallocManaged", "cuMemAlloc_v2", "libcudart.so.12+0x19a40", "xmalloc", "g_malloc0", "sqlite3Malloc", "PyMem_RawMalloc", "je_calloc", "CRYPTO_zalloc", "g_strdup", "av_mallocz", "std::vector<int>::push_back",
		"std::__new_allocator<std::pair<int, char> >::allocate", "__gnu_cxx::new_allocator<char>::allocate", "operator new[](unsigned long)", "alloc::raw_vec::RawVec<T>::grow",
		"<alloc::string::String as core::clone::Clone>::clone", "xalloc", "av_alloc", "rocksdb::port::cacheline_aligned_alloc_malloc", "asprintf", "duckdb::BufferPool::Allocate", "__os_malloc", "os::malloc(unsigned long, MemTag)", "CPLMalloc", "CPLMallocVerbose", "ruby_xmalloc2", "sqlite3DbMallocRawNN",
		"av_malloc_array", "g_malloc0_n", "my::pool<std::map<a, b>>::allocate", "mmap64",
	} {
		if !tellsNothing(name) {
			t.Errorf("%s tells something", name)
		}
	}
	for _, name := range []string{
		"queue_push", "conn_alloc", "alloc_node", "main.login", "app::registry::grow", "stdlib_init", "mallocator_init", "rocksdb::Arena::AllocateAligned", "server::allocate_session",
		"app::list<std::string>::add", "<myapp::Cache as Default>::default", "", "main.(*Server).loop",
	} {
		if tellsNothing(name) {
			t.Errorf("%s tells nothing", name)
		}
	}
}
