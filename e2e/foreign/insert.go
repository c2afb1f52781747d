package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// insertion has every test of a package begin with a check, on the line of the test's own first brace. The text is the same for
// all runs: a changed file would have the package's C code compiled again, which takes minutes.
type insertion struct {
	path    string   // import path of package cgoheapcheck
	checked []string // the tests that begin with a check
	left    []string // those that do not, because their parameter has no name
}

// into changes the test files of a package.
func (in *insertion) into(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if text, err = in.inserted(text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := writeFile(file, text); err != nil {
			return err
		}
	}
	return nil
}

// piece is text to insert at an offset.
type piece struct {
	at   int
	text string
}

// inserted returns a test file with the checks, and with what they import on the line of the package clause.
func (in *insertion) inserted(text []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !isTest(f) {
			continue
		}
		if call := in.call(f); call != "" {
			pieces = append(pieces, piece{set.Position(begin(f)).Offset, call})
		}
	}
	if len(pieces) == 0 {
		return text, nil
	}
	pieces = append(pieces, piece{set.Position(file.Name.End()).Offset, fmt.Sprintf("; import %q", in.path)})
	slices.SortFunc(pieces, func(a, b piece) int { return b.at - a.at })
	for _, p := range pieces {
		text = slices.Concat(text[:p.at], []byte(p.text), text[p.at:])
	}
	return text, nil
}

// call returns what a test begins with; "" if nothing can be added to it.
func (in *insertion) call(f *ast.FuncDecl) string {
	names := f.Type.Params.List[0].Names
	if len(names) != 1 || names[0].Name == "_" {
		in.left = append(in.left, f.Name.Name)
		return ""
	}
	in.checked = append(in.checked, f.Name.Name)
	return "; cgoheapcheck.Check(" + names[0].Name + ");"
}

// isTest reports whether go test runs a function as a test.
func isTest(f *ast.FuncDecl) bool {
	if !testName.MatchString(f.Name.Name) || f.Recv != nil || f.Body == nil || len(f.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "T"
}

var testName = regexp.MustCompile(`^Test([^a-z].*)?$`)

// begin returns where a check is inserted: at the beginning, or after a call of t.Parallel there.
func begin(f *ast.FuncDecl) token.Pos {
	at := f.Body.Lbrace + 1
	for _, s := range f.Body.List {
		if e, ok := s.(*ast.ExprStmt); ok {
			if c, ok := e.X.(*ast.CallExpr); ok {
				if m, ok := c.Fun.(*ast.SelectorExpr); ok && m.Sel.Name == "Parallel" {
					return s.End() // the call begins with a semicolon
				}
			}
		}
	}
	return at
}
