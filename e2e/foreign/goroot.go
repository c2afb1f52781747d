package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// below is where cgoheap is in the copy of Go's tree. A path whose first element has no dot is the standard library's.
const below = "foreign/"

// own returns Go's tree as it is.
func own() (copied, error) {
	c := copied{tool: "go", dir: "/", env: []string{"GOFLAGS=", "GOTOOLCHAIN=local"}}
	goroot, err := c.output("env", "GOROOT")
	c.use(strings.TrimSpace(goroot))
	return c, err
}

func (c *copied) use(goroot string) {
	c.dir = filepath.Join(goroot, "src")
	c.tool = filepath.Join(goroot, "bin", "go")
	c.env = append(c.env[:len(c.env):len(c.env)], "GOROOT="+goroot)
}

// copyTree copies Go's tree to dir and puts cgoheap into its standard library.
func copyTree(from copied, dir string) (copied, error) {
	goroot := filepath.Dir(from.dir)
	for _, part := range []string{"src", "pkg", "bin", "lib", "VERSION", "go.env"} {
		if err := copyPart(filepath.Join(goroot, part), filepath.Join(dir, part)); err != nil {
			return from, err
		}
	}
	c := from
	c.use(dir)
	if err := addCore(filepath.Join(c.dir, below)); err != nil {
		return c, err
	}
	auto := below + core + "/auto"
	return c, writeFile(filepath.Join(c.dir, below, "witness/witness.go"), witnessOf("witness", auto))
}

// addCore copies cgoheap's packages, and the packages of other modules that they import, to dir, each below its path.
func addCore(dir string) error {
	tree := copied{tool: "go", dir: root()}
	packages, err := tree.output("list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}{{end}}", "./auto")
	if err != nil {
		return err
	}
	for line := range strings.Lines(packages) {
		path, from, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if err := copyPackage(from, filepath.Join(dir, path)); err != nil {
			return err
		}
	}
	return nil
}

var imports = regexp.MustCompile(`(?m)^(import |\t)([\w.]* ?)"((github\.com|golang\.org)/[^"]*)"`)

// A package clause may have its import path in a comment, and without modules Go insists on that path.
var canonical = regexp.MustCompile(`(?m)^(package \w+) +// import ".*"$`)

func copyPackage(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.IsDir() || strings.HasSuffix(f.Name(), "_test.go") || strings.HasPrefix(f.Name(), "go.") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			return err
		}
		if filepath.Ext(f.Name()) == ".go" {
			text = imports.ReplaceAll(text, []byte(`$1$2"`+below+`$3"`))
			text = canonical.ReplaceAll(text, []byte("$1"))
		}
		if err := writeFile(filepath.Join(to, f.Name()), text); err != nil {
			return err
		}
	}
	return nil
}

// addToTree makes the suite's packages, or the programs that its tests build, import auto.
func addToTree(s suite, c copied) error {
	if s.programs == "" {
		return addToPackages(s, c, below+core+"/auto")
	}
	return filepath.WalkDir(filepath.Join(c.dir, s.programs), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		return addToFile(path)
	})
}

var clause = regexp.MustCompile(`(?m)^package main\b`)

// addToFile adds the import to a file of a main package, on the line of its package clause.
func addToFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	at := clause.FindIndex(text)
	if at == nil {
		return nil
	}
	added := string(text[:at[1]]) + `; import _ "` + below + `witness"` + string(text[at[1]:])
	return os.WriteFile(path, []byte(added), 0o600)
}

func copyPart(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, text)
}

func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
