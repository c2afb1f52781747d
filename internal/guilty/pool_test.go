package guilty

import "testing"

func TestPoolsAreKnownNearby(t *testing.T) {
	itself := func(l *Line) Line { return *l }
	far := make([]Line, callers)
	for about, c := range map[string]struct {
		lines []Line
		want  string
	}{
		"without names":    {[]Line{{Function: "libglib-2.0.so.0+0x728c0"}, {Function: "g_slice_alloc"}, {Function: "on_request"}}, "g_slice_alloc"},
		"a class's":        {[]Line{{Function: "google::protobuf::internal::SerialArena::AllocateNewBlock"}}, "google::protobuf::internal::SerialArena::AllocateNewBlock"},
		"none":             {[]Line{{Function: "conn_alloc"}, {Function: "on_request"}}, ""},
		"that called back": {append(append([]Line{{Function: "construct"}}, far...), Line{Function: "g_slice_alloc"}), ""},
		"nothing":          {nil, ""},
		"PyTorch's segment": {[]Line{{Function: "libcudart.so.12+0x19a40"}, {Function: "cudaMalloc"},
			{Function: "c10::cuda::CUDACachingAllocator::Native::(anonymous namespace)::DeviceCachingAllocator::alloc_block(AllocParams&, bool)"}, {Function: "forward"}},
			"c10::cuda::CUDACachingAllocator::Native::(anonymous namespace)::DeviceCachingAllocator::alloc_block(AllocParams&, bool)"},
	} {
		if got := Pool(c.lines, 0, itself); got != c.want {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}

func TestWhatThePoolsLibraryHolds(t *testing.T) {
	for holder, want := range map[string]bool{
		"libgobject-2.0.so.0.7400.6, data at +0x5e440": true, "global quarks (gquark.c, libglib-2.0.so.0)": true, "global pool (libglib-2.0.so.0)": true,
		"global libglib-2.0.so": false, "libfoo.so, data at +0x8": false, "": false,
	} {
		if IsOfPool(holder, "g_slice_alloc") != want || IsOfPool(holder, "ngx_palloc") {
			t.Errorf("%q", holder)
		}
	}
}
