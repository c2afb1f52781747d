package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inner are the packages that can be imported and promise nothing.
var inner = []string{"alloc", "cgo", "mappings", "pprof", "stack", "symbolize"}

// internal returns the packages in the folder internal. A tool writes internal/layout, and its names are C's.
func internal(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir("../../internal")
	if err != nil || len(entries) < 20 {
		t.Fatal(len(entries), err)
	}
	for _, e := range entries {
		if e.Name() != "layout" {
			list = append(list, "internal/"+e.Name())
		}
	}
	return list
}

// names has the names of a tree: which names each package exports at its top level, and which name.Name other packages mention.
type names struct {
	exported map[string]map[string]bool
	used     map[string]bool
	groups   [][]string // constants that are declared together
}

func namesOf(t *testing.T, root string, packages []string) *names {
	t.Helper()
	n := &names{exported: map[string]map[string]bool{}, used: map[string]bool{}}
	for _, p := range packages {
		n.exported[p] = map[string]bool{}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "out") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil // testdata may have files that are none
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if own := n.exported[folder]; own != nil && !strings.HasSuffix(path, "_test.go") {
			n.declare(folder, file)
		}
		n.use(folder, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// declare adds the names that a file exports. What they mention, as the type of a result, is needed with them.
func (n *names) declare(folder string, file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				n.export(folder, d.Name)
			}
			if d.Name.IsExported() {
				n.need(folder, "", d.Type)
			}
		case *ast.GenDecl:
			var list []string
			for _, spec := range d.Specs {
				list = append(list, n.specify(folder, spec)...)
			}
			if d.Tok == token.CONST {
				n.groups = append(n.groups, list)
			}
		}
	}
}

// specify adds what a line declares. It returns the names, that of a constant's type included.
func (n *names) specify(folder string, spec ast.Spec) (list []string) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		n.export(folder, s.Name)
		if s.Name.IsExported() {
			n.need(folder, s.Name.Name, s.Type)
		}
	case *ast.ValueSpec:
		for _, id := range s.Names {
			n.export(folder, id)
			list = append(list, qualified(folder, id.Name))
			if s.Type != nil && id.IsExported() {
				n.need(folder, "", s.Type)
			}
		}
		if of, ok := s.Type.(*ast.Ident); ok {
			list = append(list, qualified(folder, of.Name))
		}
	}
	return list
}

func (n *names) export(folder string, id *ast.Ident) {
	if id.IsExported() {
		n.exported[folder][id.Name] = true
	}
}

// need marks what an exported name mentions, apart from itself.
func (n *names) need(folder, itself string, mentions ast.Node) {
	ast.Inspect(mentions, func(node ast.Node) bool {
		if other, ok := node.(*ast.Ident); ok && other.Name != itself {
			n.used[qualified(folder, other.Name)] = true
		}
		return true
	})
}

func qualified(folder, name string) string { return filepath.Base(folder) + "." + name }

// use adds what a file mentions of other packages.
func (n *names) use(folder string, file *ast.File) {
	ast.Inspect(file, func(node ast.Node) bool {
		if s, ok := node.(*ast.SelectorExpr); ok {
			if p, ok := s.X.(*ast.Ident); ok && p.Name != filepath.Base(folder) {
				n.used[p.Name+"."+s.Sel.Name] = true
			}
		}
		return true
	})
}

// unused returns the exported names that no other package mentions. Constants that are declared together are used together.
func (n *names) unused() (list []string) {
	for _, group := range n.groups {
		if slices.ContainsFunc(group, func(name string) bool { return n.used[name] }) {
			for _, name := range group {
				n.used[name] = true
			}
		}
	}
	for p, exported := range n.exported {
		for name := range exported {
			if !n.used[qualified(p, name)] {
				list = append(list, p+"."+name)
			}
		}
	}
	slices.Sort(list)
	return list
}

// mayBeUnused are the zero value, which nobody has to name, and functions whose names are in profiles.
var mayBeUnused = []string{"pprof.AllColumns", "internal/profiletest.Cache", "internal/profiletest.Young"}

func TestWhatIsExportedIsUsedByOthers(t *testing.T) {
	n := namesOf(t, "../..", slices.Concat(inner, internal(t)))
	for _, name := range n.unused() {
		if !slices.Contains(mayBeUnused, name) {
			t.Errorf("%s is exported, and no other package uses it", name)
		}
	}
	for _, p := range inner {
		if len(n.exported[p]) < 5 {
			t.Errorf("%s exports %d names", p, len(n.exported[p]))
		}
	}
}
