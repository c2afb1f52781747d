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
	} {
		if got := Pool(c.lines, 0, itself); got != c.want {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}
