package otlp

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

// The modules have versions of their own, and a program may use a later core and a later export than those that this module
// was tested with. So it builds on nothing but what they promise.
func TestOnlyPromisedPackagesAreImported(t *testing.T) {
	const core = "github.com/cgoheap/cgoheap"
	promised := []string{core, core + "/export", core + "/export/post"}
	p, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Imports, core+"/export/post") {
		t.Errorf("%s is not among %v", core+"/export/post", p.Imports)
	}
	for _, imported := range p.Imports {
		if strings.HasPrefix(imported, core) && !slices.Contains(promised, imported) {
			t.Errorf("%s is imported, which may change in any release", imported)
		}
	}
}
