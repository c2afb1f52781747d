//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/check"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestCodeMadeAtRunTime(t *testing.T) {
	p := start(t, everything)
	jit, ok := victim.NewJITAround(victim.JIT{})
	if !ok {
		t.Skip("no memory may be made executable")
	}
	defer jit.Drop()
	defer victim.Free(jit.MallocAround(93040))
	made := func(t *testing.T, s Selection) *profile.Location {
		t.Helper()
		var b bytes.Buffer
		if err := p.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		if faults, err := check.Profile(bytes.NewReader(b.Bytes())); err != nil || len(faults) > 0 {
			t.Errorf("%v, %v", faults, err)
		}
		whole, err := profile.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range whole.Sample {
			if slices.Equal(sample.NumLabel["bytes"], []int64{93040}) {
				if l := sample.Location[0]; len(sample.Location) > 1 && jit.Holds(l.Address) {
					return l
				}
			}
		}
		t.Fatal("no stack goes through the code")
		return nil
	}

	for about, s := range map[string]Selection{"in a file": {}, "for a server that has debug files": {BareAddresses: true}} {
		t.Run("that nobody names has a mapping of its own, and its name for one, "+about, func(t *testing.T) {
			l := made(t, s)
			if l.Mapping == nil || l.Mapping.File != "[code made at run time]" || l.Mapping.HasFunctions || len(l.Line) != 1 ||
				l.Line[0].Function.Name != "[code made at run time]" || l.Line[0].Function.SystemName != "" {
				t.Errorf("%+v in %+v", l, l.Mapping)
			}
		})
	}

	t.Run("has the name of its runtime's perf map", func(t *testing.T) {
		path := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			t.Skip(err)
		}
		defer os.Remove(path)
		l := made(t, Selection{})
		fmt.Fprintf(file, "%x 40 LazyCompile:~allocate service.js:12:3\n", l.Address&^0xfff)
		file.Close()
		l = made(t, Selection{})
		if l.Mapping == nil || l.Mapping.File != "[code made at run time]" || !l.Mapping.HasFunctions ||
			l.Line[0].Function.Name != "LazyCompile:~allocate service.js:12:3" {
			t.Errorf("%+v in %+v", l, l.Mapping)
		}
	})
}
