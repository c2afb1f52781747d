package layering

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// folder is a folder of the module that has sources in it.
type folder struct {
	root, name string // name is relative to root, with slashes; "." for root itself
	files      []string
}

// inspect returns each breach of the plan in the module at root, as a sentence.
func inspect(root string) []string {
	folders, err := sourceFolders(root)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, f := range folders {
		p, known := lookup(f.name)
		if !known {
			faults = append(faults, f.name+" is not on the plan")
			continue
		}
		faults = append(faults, f.essayFault()...)
		for _, file := range f.files {
			faults = append(faults, f.fileFaults(p, file)...)
		}
	}
	return faults
}

// lookup finds a folder on the plan. All examples are alike.
func lookup(name string) (pkg, bool) {
	if strings.HasPrefix(name, "examples/") {
		return pkg{layer: top, c: true}, true
	}
	p, known := plan[name]
	return p, known
}

// sourceFolders walks the module as the go command does: without testdata, hidden folders and nested modules.
func sourceFolders(root string) ([]folder, error) {
	found := map[string]*folder{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(root, p)
		}
		if !isGo(p) && !isC(p) {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		name := filepath.ToSlash(dir)
		if found[name] == nil {
			found[name] = &folder{root: root, name: name}
		}
		found[name].files = append(found[name].files, d.Name())
		return nil
	})
	var folders []folder
	for _, f := range found {
		folders = append(folders, *f)
	}
	slices.SortFunc(folders, func(a, b folder) int { return strings.Compare(a.name, b.name) })
	return folders, err
}

func skip(root, dir string) error {
	if dir == root {
		return nil
	}
	base := filepath.Base(dir)
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}

func isGo(name string) bool     { return path.Ext(name) == ".go" }
func isGoTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// isC reports whether the file is one that a C compiler compiles on its own. A header is not: the sources that include it
// keep it off other platforms. Nor is Go's assembly (.s).
func isC(name string) bool {
	return slices.Contains([]string{".c", ".cc", ".cpp", ".cxx", ".S"}, path.Ext(name))
}

func (f *folder) essayFault() []string {
	if slices.Contains(f.files, "doc.go") {
		return nil
	}
	return []string{f.name + " has no doc.go"}
}

func (f *folder) fileFaults(p pkg, file string) []string {
	if isC(file) && p.layer != testOnly {
		return f.guardFault(file)
	}
	if isC(file) || isGoTest(file) {
		return nil
	}
	return f.importFaults(p, file)
}

// guardFault asks Go's own rules for file names and //go:build lines whether a build for another system takes the file.
func (f *folder) guardFault(file string) []string {
	elsewhere := build.Default
	elsewhere.GOOS, elsewhere.GOARCH, elsewhere.CgoEnabled = "darwin", "arm64", true
	taken, err := elsewhere.MatchFile(filepath.Join(f.root, f.name), file)
	switch {
	case err != nil:
		return []string{err.Error()}
	case taken:
		return []string{path.Join(f.name, file) + " is compiled off Linux: it lacks a //go:build line or a _linux suffix"}
	}
	return nil
}

func (f *folder) importFaults(p pkg, file string) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(f.root, f.name, file), nil, parser.ImportsOnly)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, spec := range parsed.Imports {
		if why := importFault(p, spec); why != "" {
			faults = append(faults, fmt.Sprintf("%s imports %s: %s", path.Join(f.name, file), spec.Path.Value, why))
		}
	}
	return faults
}

// importFault returns why a package may not have an import; "" if it may.
func importFault(p pkg, spec *ast.ImportSpec) string {
	imported, err := strconv.Unquote(spec.Path.Value)
	switch {
	case err != nil:
		return err.Error()
	case imported == "C" && !p.c:
		return "only cgo may import C"
	case imported != module && !strings.HasPrefix(imported, module+"/"):
		return ""
	}
	name := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
	if name == "" {
		name = "."
	}
	below, known := lookup(name)
	switch {
	case !known:
		return "it is not on the plan"
	case p.layer == testOnly:
		return ""
	case below.layer == testOnly:
		return "it is for tests only"
	case below.layer >= p.layer:
		return "imports run only downward"
	}
	return ""
}
