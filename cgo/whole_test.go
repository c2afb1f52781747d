//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// exported are the names of the exported functions and methods in the files of this package that import "C".
func exported(t *testing.T) (names []string) {
	t.Helper()
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pkg.CgoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && callsC(f) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// callsC reports whether the function mentions C, or a function of this package.
func callsC(f *ast.FuncDecl) bool {
	calls := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called, _ := call.Fun.(*ast.SelectorExpr)
		if called == nil {
			calls = true // of this package, or a conversion
			return true
		}
		pkg, _ := called.X.(*ast.Ident)
		calls = calls || pkg != nil && pkg.Name == "C"
		return true
	})
	return calls
}

func TestThePackageIsLinkedAsAWhole(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "whole.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	ast.Inspect(file, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			kept = append(kept, name.Name)
		}
		return true
	})
	all := exported(t)
	if len(all) < 40 {
		t.Fatalf("the files were not understood: %q", all)
	}
	for _, name := range all {
		if !slices.Contains(kept, name) {
			t.Errorf("whole.go lacks %s", name)
		}
	}
}
