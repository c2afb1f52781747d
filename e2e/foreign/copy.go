package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const core = "github.com/cgoheap/cgoheap"

//go:embed testdata/witness.go.txt
var witness string

// A copied has a suite's tests in a directory, and what go test needs there.
type copied struct {
	dir  string
	tool string   // the go command
	env  []string // of the go command
	args []string
}

func (c copied) command(args ...string) *exec.Cmd {
	tool := exec.Command(c.tool, args...)
	tool.Dir = c.dir
	tool.Env = append(os.Environ(), c.env...)
	return tool
}

func (c copied) output(args ...string) (string, error) {
	tool := c.command(args...)
	var stderr bytes.Buffer
	tool.Stderr = &stderr
	out, err := tool.Output()
	if err != nil {
		return "", fmt.Errorf("%v: %w\n%s", tool, err, stderr.Bytes())
	}
	return string(out), nil
}

// copyModule copies a module from the module cache, where go.mod's checksums have been compared. It is built with -trimpath,
// so that Go's build cache still has its C code although the directory differs.
func copyModule(s suite, dir string) (copied, error) {
	c := copied{dir: dir, tool: "go", env: []string{"GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off"}, args: []string{"-trimpath"}}
	out, err := copied{tool: "go", dir: "/", env: []string{"GOFLAGS=", "GOWORK=off"}}.output("mod", "download", "-json", s.module)
	if err != nil {
		return c, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return c, err
	}
	return c, writable(module.Dir, dir)
}

// writable copies a tree so that the copy can be changed and removed.
func writable(from, to string) error {
	if out, err := exec.Command("cp", "-r", "--no-preserve=mode", from+"/.", to).CombinedOutput(); err != nil {
		return fmt.Errorf("copying %s: %w\n%s", from, err, out)
	}
	return nil
}

// addToModule makes every package of the suite that has tests import auto.
func addToModule(s suite, c copied) error {
	_, err := c.output("mod", "edit", "-require="+core+"@v0.0.0", "-replace="+core+"="+root())
	if err != nil {
		return err
	}
	return addToPackages(s, c, core+"/auto")
}

// addToPackages writes the import into a file of the external test package, so that the tested package is not compiled again.
func addToPackages(s suite, c copied, auto string) error {
	packages, err := c.output(append([]string{"list", "-f", "{{.Dir}}\t{{.Name}}"}, s.packages...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(packages) {
		dir, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		err = os.WriteFile(filepath.Join(dir, "cgoheap_foreign_test.go"), witnessOf(name+"_test", auto), 0o600)
		if err != nil {
			return err
		}
	}
	return nil
}

func witnessOf(name, auto string) []byte {
	return []byte(strings.NewReplacer("PACKAGE", name, "AUTO", auto).Replace(witness))
}

// root is the directory of the core's module.
func root() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", core).Output()
	if err != nil {
		panic(err) // this program is built from the module e2e, which requires it
	}
	return strings.TrimSpace(string(out))
}
