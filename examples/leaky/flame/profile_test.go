package flame

import (
	"github.com/google/pprof/profile"
)

// shopProfile is a small profile of three stacks, one with an inlined call and one with a frame that has no name.
//
//	main 100 ─┬─ report 70 ─┬─ sqlite 40
//	          │             └─ 0x77 30
//	          └─ "<vec&>" 30 ── malloc 30   (inlined into one location)
func shopProfile() *profile.Profile {
	function := func(name, file string) *profile.Function { return &profile.Function{Name: name, Filename: file} }
	at := func(functions ...*profile.Function) *profile.Location {
		location := &profile.Location{}
		for _, f := range functions {
			location.Line = append(location.Line, profile.Line{Function: f})
		}
		return location
	}
	main, report := at(function("main", "main.go")), at(function("report", "report.go"))
	unnamed := &profile.Location{Address: 0x77, Mapping: &profile.Mapping{File: "lib.so"}}
	inlined := at(function("malloc", ""), function("<vec&>", "a.cpp"))
	sample := func(value int64, leafFirst ...*profile.Location) *profile.Sample {
		return &profile.Sample{Location: leafFirst, Value: []int64{1, value}}
	}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "inuse_objects"}, {Type: "inuse_space"}},
		Sample: []*profile.Sample{
			sample(15, at(function("sqlite", "s.c")), report, main),
			sample(25, at(function("sqlite", "s.c")), report, main),
			sample(30, unnamed, report, main),
			sample(30, inlined, main),
			sample(0, at(function("freed", "f.c")), main),
		},
	}
}
