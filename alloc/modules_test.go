//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/mappings"
)

// place holds the data that places an address in a module's file.
type place struct {
	path, buildID string
	bias          uint64
	ranges        []mappings.Range
	readable      bool
}

func places(modules []mappings.Module) map[string]place {
	all := make(map[string]place)
	for i := range modules {
		m := &modules[i]
		path, err := filepath.EvalSymlinks(m.Path)
		if err != nil {
			path = m.Path
		}
		all[path] = place{path, m.BuildID, m.Bias, m.Ranges, m.Err == nil}
	}
	return all
}

func TestTheLoaderKnowsTheSameModulesAsTheKernel(t *testing.T) {
	kernel, err := mappings.Self()
	if err != nil {
		t.Fatal(err)
	}
	loader := linked()
	if diff := cmp.Diff(places(kernel), places(loader), cmp.AllowUnexported(place{})); diff != "" {
		t.Errorf("kernel − loader +:\n%s", diff)
	}
	if len(loader) == 0 || loader[0].Path != kernel[0].Path {
		t.Errorf("the program is not the first of %d modules", len(loader))
	}
}

func TestAFileThatHasOnlyThePathIsNotTheModules(t *testing.T) {
	var segments []mappings.Segment
	for _, m := range linked() {
		if m.Path == "[vdso]" {
			continue
		}
		segments = append(segments, mappings.Segment{
			Path: "/bin/sh", Start: m.Ranges[0].Start, Limit: m.Ranges[0].Limit, Executable: true,
		})
	}
	for _, m := range mappings.Linked(segments[:1]) {
		if m.Err == nil {
			t.Errorf("%s passes for the program", m.Path)
		}
	}
}
