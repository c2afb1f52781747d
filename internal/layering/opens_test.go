package layering

import (
	"go/ast"
	"strings"
	"testing"
)

// What runs in the program's process opens files by package descriptor, which says why. What else package os opens for a moment, as
// ReadDir does, neither needs Go's poller nor can be written to. The command has a process of its own, and the exporter another module.
func TestFilesAreOpenedByPackageDescriptor(t *testing.T) {
	opens := map[string]bool{"Open": true, "OpenFile": true, "OpenInRoot": true, "ReadFile": true, "Create": true, "CreateTemp": true}
	seen := 0
	eachProductFile(t, func(name string, file *ast.File) {
		first, _, _ := strings.Cut(name, "/")
		if first == "cmd" || first == "export" || first == "otlp" || strings.HasPrefix(name, "internal/descriptor/") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, is := call.X.(*ast.Ident)
			if is && of.Name == "descriptor" {
				seen++
			}
			if is && of.Name == "os" && opens[call.Sel.Name] {
				t.Errorf("%s calls os.%s", name, call.Sel.Name)
			}
			return true
		})
	})
	if seen < 8 {
		t.Errorf("%d files are opened", seen)
	}
}
