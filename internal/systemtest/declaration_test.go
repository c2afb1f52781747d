package systemtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/cgoheap/cgoheap"

// api is what files export: a line for each function, method, type, field, variable and constant. It is read from the
// source, not from compiled packages, so it is the same on every platform and needs no dependency.
type api struct {
	lines   map[string]bool
	leaks   []string          // lines with a type of a package of ours that is not promised
	imports map[string]string // of the file that is read: the path of each name
}

func (a *api) add(file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	a.imports = make(map[string]string)
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		a.imports[name] = imported
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			a.addFunc(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				a.addSpec(d.Tok, spec)
			}
		}
	}
	return nil
}

// put adds a line that has the types.
func (a *api) put(line string, has ...ast.Node) {
	a.lines[line] = true
	for _, node := range has {
		ast.Inspect(node, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := s.X.(*ast.Ident)
			from := a.imports[of.Name]
			if (from == module || strings.HasPrefix(from, module+"/")) && !slices.Contains(promised, from) {
				a.leaks = append(a.leaks, line+" has a type of "+from)
			}
			return true
		})
	}
}

func (a *api) addFunc(f *ast.FuncDecl) {
	switch {
	case !f.Name.IsExported():
	case f.Recv == nil:
		a.put("func "+f.Name.Name+signature(f.Type), f.Type)
	default:
		of := types.ExprString(f.Recv.List[0].Type)
		if ast.IsExported(strings.TrimLeft(of, "*")) {
			a.put(fmt.Sprintf("method (%s) %s%s", of, f.Name.Name, signature(f.Type)), f.Type)
		}
	}
}

func (a *api) addSpec(token token.Token, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			switch {
			case !name.IsExported():
			case s.Type != nil:
				a.put(fmt.Sprintf("%s %s %s", token, name, types.ExprString(s.Type)), s.Type)
			default:
				a.put(fmt.Sprintf("%s %s", token, name))
			}
		}
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			a.addType(s)
		}
	}
}

func (a *api) addType(s *ast.TypeSpec) {
	switch t := s.Type.(type) {
	case *ast.StructType:
		a.put("type " + s.Name.Name + " struct")
		a.addFields(s.Name.Name, t.Fields)
	case *ast.InterfaceType:
		a.put("type " + s.Name.Name + " interface")
		a.addMethods(s.Name.Name, t.Methods)
	default:
		is := " "
		if s.Assign.IsValid() {
			is = " = "
		}
		a.put("type "+s.Name.Name+is+types.ExprString(t), t)
	}
}

func (a *api) addFields(of string, fields *ast.FieldList) {
	for _, f := range fields.List {
		text := types.ExprString(f.Type)
		names := f.Names
		if len(names) == 0 { // embedded
			names = []*ast.Ident{ast.NewIdent(text[strings.LastIndexAny(text, ".*")+1:])}
		}
		for _, name := range names {
			if name.IsExported() {
				a.put(fmt.Sprintf("field %s.%s %s%s", of, name, text, inJSON(f.Tag)), f.Type)
			}
		}
	}
}

// inJSON returns what a field's tag says of its name in JSON.
func inJSON(tag *ast.BasicLit) string {
	if tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(tag.Value)
	name, found := reflect.StructTag(text).Lookup("json")
	if !found {
		return ""
	}
	return ", in JSON " + name
}

func (a *api) addMethods(of string, methods *ast.FieldList) {
	for _, m := range methods.List {
		f, ok := m.Type.(*ast.FuncType)
		if !ok {
			a.addEmbedded(of, m.Type)
			continue
		}
		for _, name := range m.Names {
			a.put(fmt.Sprintf("method %s.%s%s", of, name, signature(f)), f)
		}
	}
}

// addEmbedded adds what an interface embeds. If that is internal, only our packages can implement the interface, and what its
// methods are is no promise.
func (a *api) addEmbedded(of string, embedded ast.Expr) {
	if s, ok := embedded.(*ast.SelectorExpr); ok {
		if from, _ := s.X.(*ast.Ident); from != nil && strings.Contains(a.imports[from.Name], "/internal/") {
			a.put("sealed " + of)
			return
		}
	}
	a.put(fmt.Sprintf("embeds %s %s", of, types.ExprString(embedded)), embedded)
}

// signature is the types of parameters and results: their names are no promise.
func signature(f *ast.FuncType) string {
	params, results := typeList(f.Params), typeList(f.Results)
	text := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

func typeList(list *ast.FieldList) (all []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			all = append(all, types.ExprString(f.Type))
		}
	}
	return all
}
