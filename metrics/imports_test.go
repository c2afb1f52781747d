package metrics

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

// The core and this module have versions of their own, and a program may use a later core than the one that this module
// was tested with. So it builds on nothing but what the core promises.
func TestOnlyThePromisedPackageOfTheCoreIsImported(t *testing.T) {
	const core = "github.com/cgoheap/cgoheap"
	p, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Imports, core) {
		t.Errorf("%s is not among %v", core, p.Imports)
	}
	for _, imported := range p.Imports {
		if strings.HasPrefix(imported, core+"/") {
			t.Errorf("%s is imported, which may change in any release of the core", imported)
		}
	}
}
