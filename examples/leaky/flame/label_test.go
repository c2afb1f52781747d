package flame_test

import (
	"testing"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

func TestAShortNameIsWhatOneReads(t *testing.T) {
	for name, want := range map[string]string{
		"github.com/mattn/go-sqlite3.(*SQLiteConn).prepare": "go-sqlite3.(*SQLiteConn).prepare",
		"main.(*service).handleReport":                      "main.(*service).handleReport",
		"slices.SortFunc[go.shape.[]example.com/x.T]":       "slices.SortFunc[go.shape.[]example.com/x.T]",
		"sqlite3Malloc":                             "sqlite3Malloc",
		"operator new(unsigned long)":               "operator new(unsigned long)",
		"raster::thumbnail(std::string_view, int)":  "raster::thumbnail",
		"raster::Image<raster::Rgb>::width() const": "raster::Image<raster::Rgb>::width",
		"raster_result (anonymous namespace)::guarded<f(int)::{lambda()#1}>(f(int)::{lambda()#1})": "" +
			"(anonymous namespace)::guarded<f(int)::{lambda()#1}>",
		"raster::Cache<std::basic_string<char, std::char_traits<char> >, int>::find<f(int)::<lambda()> >": "" +
			"raster::Cache<…>::find<f(int)::<lambda()> >",
		"f::{unnamed}::operator()":                                  "f::{unnamed}::operator()",
		"std::vector<int, std::allocator<int> > ns::make<int>(int)": "ns::make<int>",
		"f(int)::{lambda()#1}::operator()() const":                  "f(int)::{lambda()#1}::operator()",
	} {
		if got := flame.ShortName(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
