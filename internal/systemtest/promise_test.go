package systemtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap"
	pages "github.com/cgoheap/cgoheap/internal/page"
)

// What is promised beside declarations is read from the code that makes it true, so that no second list can differ from it.

// parsedFiles returns the files of a package, without its tests.
func parsedFiles(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// inspect calls visit with each node of the files that is an N.
func inspect[N ast.Node](files []*ast.File, visit func(N)) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n, ok := n.(N); ok {
				visit(n)
			}
			return true
		})
	}
}

// sorted returns the list in order, each line once. An empty list is an error: the code is no longer as its reader expects.
func sorted(t *testing.T, list []string) []string {
	t.Helper()
	if len(list) == 0 {
		t.Error("nothing was found")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

var variableName = regexp.MustCompile(`^CGOHEAP(_[A-Z]+)*$`)

// environmentVariables lists the variables that auto reads: its readers' first argument is the name. Names elsewhere, in messages,
// must be among them.
func environmentVariables(t *testing.T) []string {
	t.Helper()
	files := parsedFiles(t, "auto")
	var read, named []string
	inspect(files, func(c *ast.CallExpr) {
		if _, isMethod := c.Fun.(*ast.SelectorExpr); isMethod && len(c.Args) > 0 {
			if name, ok := constant(c.Args[0], nil); ok && variableName.MatchString(name) {
				read = append(read, name)
			}
		}
	})
	inspect(files, func(l *ast.BasicLit) {
		if name, ok := constant(l, nil); ok && variableName.MatchString(name) {
			named = append(named, name)
		}
	})
	for _, name := range named {
		if !slices.Contains(read, name) {
			t.Errorf("package auto names %s and does not read it", name)
		}
	}
	return sorted(t, read)
}

// allocatorPackages lists the folders that programs import by name.
func allocatorPackages(t *testing.T) (list []string) {
	t.Helper()
	files, err := filepath.Glob("../../allocators/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		list = append(list, filepath.ToSlash(filepath.Join("allocators", filepath.Base(filepath.Dir(file)))))
	}
	return sorted(t, list)
}

// handlerPatterns lists the patterns under which auto registers handlers, and those that PagesHandler serves.
func handlerPatterns(t *testing.T) (list []string) {
	t.Helper()
	inspect(parsedFiles(t, "auto"), func(l *ast.CompositeLit) {
		if isMapTo(l, func(value ast.Expr) bool {
			s, ok := value.(*ast.SelectorExpr)
			return ok && s.Sel.Name == "Handler"
		}) {
			list = append(list, keys(t, l)...)
		}
	})
	for _, pattern := range pages.Patterns() {
		if !strings.Contains(pattern, pages.Folder+"files/") { // the page's own, which may change
			list = append(list, pattern)
		}
	}
	return sorted(t, list)
}

// handlerParameters lists the keys of the maps from a parameter's name to the function that parses its value, after the name of
// the page that takes them.
func handlerParameters(t *testing.T) (list []string) {
	t.Helper()
	inspect(slices.Concat(parsedFiles(t, "."), parsedFiles(t, "internal/serve")), func(s *ast.ValueSpec) {
		if len(s.Values) == 0 || !strings.HasSuffix(strings.ToLower(s.Names[0].Name), "parameters") {
			return
		}
		if l, ok := s.Values[0].(*ast.CompositeLit); ok {
			of := strings.TrimSuffix(strings.ToLower(s.Names[0].Name), "parameters")
			for _, key := range keys(t, l) {
				list = append(list, strings.TrimSpace(of+" "+key))
			}
		}
	})
	return sorted(t, list)
}

// views returns the views that need no Baseline. viewNames checks that none is missing.
func views() []cgoheap.View {
	return []cgoheap.View{cgoheap.ViewInUse(), cgoheap.ViewAllocated(), cgoheap.ViewPeak(), cgoheap.ViewAge(0), cgoheap.ViewShortLived(0),
		cgoheap.ViewRSS(), cgoheap.ViewUnreachable(time.Millisecond, true), cgoheap.ViewHeldBy(true), cgoheap.ViewPinned(), cgoheap.ViewDevice()}
}

func viewNames(t *testing.T) (list []string) {
	t.Helper()
	for _, v := range append(views(), cgoheap.ViewDelta(nil), cgoheap.ViewGrowth(nil)) {
		list = append(list, v.String())
	}
	made := 0
	inspect(parsedFiles(t, "."), func(f *ast.FuncDecl) {
		if f.Recv == nil && strings.HasPrefix(f.Name.Name, "View") {
			made++
		}
	})
	if made != len(list) {
		t.Errorf("the package has %d views, the test %d", made, len(list))
	}
	return sorted(t, list)
}

func isMapTo(l *ast.CompositeLit, is func(ast.Expr) bool) bool {
	m, ok := l.Type.(*ast.MapType)
	return ok && is(m.Value)
}

func keys(t *testing.T, l *ast.CompositeLit) (list []string) {
	t.Helper()
	for _, element := range l.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			t.Fatal("an element has no key")
		}
		key, known := constant(pair.Key, nil)
		if !known {
			t.Error("a key is no constant")
		}
		list = append(list, key)
	}
	return list
}

// constant returns the value of a text: a literal, a name of values, or a sum of these.
func constant(e ast.Expr, values map[string]string) (text string, known bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.Ident:
		text, known = values[e.Name]
		return text, known
	case *ast.BinaryExpr:
		left, known := constant(e.X, values)
		right, knownToo := constant(e.Y, values)
		return left + right, known && knownToo && e.Op == token.ADD
	}
	return "", false
}
