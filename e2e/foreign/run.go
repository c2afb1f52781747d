package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A bench has the two copies of a suite.
type bench struct {
	suite         suite
	without, with copied
	only          string // for -run; "": all
	race          bool
	scratch       string
}

func newBench(s suite, dir string, tree *tree) (*bench, error) {
	b := &bench{suite: s, scratch: dir}
	var err error
	if s.module == "" {
		b.without, b.with, err = tree.get()
	} else if b.without, err = copyModule(s, filepath.Join(dir, "without")); err == nil {
		b.with, err = copyModule(s, filepath.Join(dir, "with"))
	}
	if err != nil {
		return nil, err
	}
	if s.only != "" {
		if b.only, err = testsOf(filepath.Join(b.without.dir, s.packages[0], s.only)); err != nil {
			return nil, err
		}
	}
	if s.module == "" {
		return b, addToTree(s, b.with)
	}
	return b, addToModule(s, b.with)
}

// A tree is the pair of Go's tree and its copy, made when first needed.
type tree struct {
	dir           string
	without, with copied
	made          bool
	err           error
}

func (t *tree) get() (without, with copied, err error) {
	if !t.made {
		t.made = true
		if t.without, t.err = own(); t.err == nil {
			t.with, t.err = copyTree(t.without, t.dir)
		}
	}
	return t.without, t.with, t.err
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsOf returns an expression for -run that matches the tests of a file.
func testsOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var names []string
	for _, match := range testFunction.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	return "^(" + strings.Join(names, "|") + ")$", nil
}

// test runs go test once. It returns the outcomes and in how many processes cgoheap recorded.
func (b *bench) test(c copied, env []string, only string) (outcomes, int, error) {
	seen, err := os.MkdirTemp(b.scratch, "witness-")
	if err != nil {
		return outcomes{}, 0, err
	}
	args := append([]string{"test", "-json", "-count=1", "-vet=off", "-timeout=30m"}, c.args...)
	if b.suite.short {
		args = append(args, "-short")
	}
	if b.race {
		args = append(args, "-race")
	}
	if only != "" {
		args = append(args, "-run="+only)
	}
	tool := c.command(append(args, b.suite.packages...)...)
	tool.Env = append(append(tool.Env, "FOREIGN_WITNESS="+seen), env...)
	var out bytes.Buffer
	tool.Stdout, tool.Stderr = &out, &out
	failure := tool.Run() // a failing test is an outcome; a run without outcomes is an error
	o := read(&out)
	if len(o.of) == 0 {
		return o, 0, fmt.Errorf("%v: %w\n%.2000s", tool, failure, o.other)
	}
	recorded, err := os.ReadDir(seen)
	return o, len(recorded), err
}
