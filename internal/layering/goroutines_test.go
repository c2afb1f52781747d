package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// guardsItself are the functions of goroutines that recover by themselves, piece by piece.
var guardsItself = map[string]string{"internal/dwarf/search.go": "work", "export/parca/uploader.go": "run", "cgo/waker.go": "wakeAndAnswer"}

// A panic in a goroutine of the profiler that nobody recovers takes the host down. So whatever runs in one is guarded by package
// background, or by the exporter's guard, which calls it.
func TestNoGoroutineCanTakeTheHostDown(t *testing.T) {
	seen := 0
	eachProductFile(t, func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if begun := begins(n); begun != nil {
				if seen++; !guarded(begun, guardsItself[name]) {
					t.Errorf("%s begins a goroutine whose panic nobody recovers", name)
				}
			}
			return true
		})
	})
	if seen < 8 {
		t.Errorf("%d goroutines are begun", seen)
	}
}

// eachProductFile calls do with each file of the profiler's code, but for tests, and its path from the root.
func eachProductFile(t *testing.T, do func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		if d.IsDir() {
			if notProduct(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !isGo(path) || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			do(name, file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// notProduct reports whether a folder has no code of the profiler.
func notProduct(name string) bool {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "bench", "e2e", "examples", "tools", "out", ".git":
		return true
	}
	if name == "internal/background" || strings.HasSuffix(name, "testdata") {
		return true
	}
	return strings.HasPrefix(name, "internal/") && plan[name].layer == testOnly
}

// begins returns what runs in a goroutine that a node begins, by a go statement or by a method named Go.
func begins(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && len(n.Args) == 1 {
			return n.Args[0]
		}
	}
	return nil
}

// guarded reports whether a guard is called in it, or the function that guards itself.
func guarded(begun ast.Node, itself string) (is bool) {
	ast.Inspect(begun, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			is = is || f.Name == "guarded" || itself != "" && f.Name == itself
		case *ast.SelectorExpr:
			of, _ := f.X.(*ast.Ident)
			is = is || f.Sel.Name == "guard" || of != nil && of.Name == "background" || itself != "" && f.Sel.Name == itself
		}
		return true
	})
	return is
}
