package flame_test

import (
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

func TestTheKindOfAFunction(t *testing.T) {
	cases := []struct {
		function profile.Function
		want     flame.Kind
	}{
		{profile.Function{Name: "main.(*service).handleReport", Filename: "/src/report.go"}, flame.Go},
		{profile.Function{Name: "runtime.cgocall", Filename: "/go/src/runtime/cgocall.go"}, flame.Plumbing},
		{profile.Function{Name: "runtime.asmcgocall.abi0", Filename: "/go/src/runtime/asm_amd64.s"}, flame.Plumbing},
		{profile.Function{Name: "example.com/x._Cfunc_f", Filename: "_cgo_gotypes.go"}, flame.Plumbing},
		{profile.Function{Name: "_cgo_1f_Cfunc_f", Filename: "x.cgo2.c"}, flame.Plumbing},
		{profile.Function{Name: "preamble", Filename: "/src/x.go"}, flame.C},
		{profile.Function{Name: "sqlite3Malloc", Filename: "sqlite3-binding.c"}, flame.C},
		{profile.Function{Name: "malloc"}, flame.C},
		{profile.Function{Name: "raster_shrink", Filename: "raster.cpp"}, flame.CPlusPlus},
		{profile.Function{Name: "operator new(unsigned long)", SystemName: "_Znwm"}, flame.CPlusPlus},
		{profile.Function{Name: "std::move", Filename: "/usr/include/c++/12/bits/move.h"}, flame.CPlusPlus},
		{profile.Function{Name: "memmove", Filename: "../sysdeps/x86_64/memmove.S"}, flame.C},
		{profile.Function{}, flame.Unknown},
	}
	for _, c := range cases {
		if got := flame.KindOf(&c.function); got != c.want {
			t.Errorf("%+v is %v, want %v", c.function, got, c.want)
		}
	}
}
