package guilty

import "testing"

func TestWhoAllocated(t *testing.T) {
	glue, send, handle := Line{"main._Cfunc_send", "_cgo_gotypes.go"}, Line{"send", "a.c"}, Line{"main.handle", "/src/main.go"}
	wrapper, zone, serve := Line{"av_malloc", "mem.c"}, Line{"std::vector<int>::reserve", "vector.tcc"}, Line{"net/http.(*conn).serve", "/go/src/net/http/server.go"}
	for about, c := range map[string]struct {
		lines []Line
		want  Who
	}{
		"C alone":                   {[]Line{wrapper, send, {"start_thread", ""}}, Who{1, 1, -1}},
		"wrappers alone":            {[]Line{wrapper, zone}, Who{0, 0, -1}},
		"behind a wrapper":          {[]Line{wrapper, {"grow", "a.c"}, send, glue, handle}, Who{1, 2, 4}},
		"wrappers that Go calls":    {[]Line{wrapper, zone, glue, handle}, Who{1, 1, 3}},
		"nothing but cgo's":         {[]Line{{"C.CString", "_cgo_gotypes.go"}, handle}, Who{0, 0, 1}},
		"Go's runtime":              {[]Line{{"setenv", "setenv.c"}, {"runtime.setenv_c", "r.go"}, {"syscall.Setenv", "e.go"}, handle}, Who{0, 1, 3}},
		"C in a Go file":            {[]Line{{"_open_v2", "/src/open.go"}, handle}, Who{0, 0, 1}},
		"through a library of Go's": {[]Line{send, {"sql.(*Conn).Open", "/mod/sql@v1.2.0/s.go"}, handle, serve}, Who{0, 0, 2}},
		"a module's, without main": {[]Line{send, {"github.com/a/sql.(*Conn).Open", "/mod/github.com/a/sql@v1.2.0/s.go"}, {"corp.example/shop/store.Get", "/src/store/get.go"}, serve},
			Who{0, 0, 2}},
		"a library's and Go's own": {[]Line{send, {"github.com/a/sql.(*Conn).Open", "/mod/github.com/a/sql@v1.2.0/s.go"}, serve}, Who{0, 0, 1}},
		"in a callback":            {[]Line{send, glue, {"main.called", "m.go"}, {"outer", "a.c"}, glue, handle}, Who{0, 0, 2}},
		"without names":            {[]Line{{"libruby.so+0x12", ""}, {"rb_eval", ""}, glue, handle}, Who{0, 1, 3}},
	} {
		if got := of(c.lines); got != c.want {
			t.Errorf("%s: %+v, want %+v", about, got, c.want)
		}
	}
}
