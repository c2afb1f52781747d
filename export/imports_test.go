package export

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The core and this module have versions of their own, and a program may use a later core than the one that this module
// was tested with. So it builds on nothing but what the core promises.
func TestOnlyThePromisedPackageOfTheCoreIsImported(t *testing.T) {
	const core, own = "github.com/cgoheap/cgoheap", "github.com/cgoheap/cgoheap/export"
	testsOnly := []string{filepath.Join("internal", "standin")}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "testdata" {
			return filepath.SkipDir // programs of users, which import other modules, too
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || slices.Contains(testsOnly, filepath.Dir(path)) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasPrefix(imported, core+"/") && imported != own && !strings.HasPrefix(imported, own+"/") {
				t.Errorf("%s imports %s, which may change in any release of the core", path, imported)
			}
			if slices.ContainsFunc(testsOnly, func(dir string) bool { return imported == own+"/"+filepath.ToSlash(dir) }) {
				t.Errorf("%s imports %s, which is for tests", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
