// Command mutants makes one small mistake at a time in a copy of the tree, and wants the test that is named for it to fail.
//
//	mutants [NAME...]
//
// patches has a file for each, NAME.patch: what would go wrong for a user, in a sentence; the test; and the mistake, as git diff
// -U1 prints it.
//
//	test: MODULE PACKAGE TestName
//	test: ctest PROGRAM [A PART OF A SENTENCE]
//
// MODULE is the module's folder, and PROGRAM one of testdata/ctest of the package that the patch changes, of which only the tests run whose sentence has the part. The copy has what was committed last. A test that
// passes has not noticed the mistake: it survived. One that fails without it, too, says nothing.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const root, patches = "../..", "mutants/patches"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// For each user always the same: for another folder, Go compiles all anew.
	scratch := filepath.Join(os.TempDir(), fmt.Sprintf("cgoheap-mutants-%d", os.Getuid()))
	good, err := run(ctx, os.Stdout, root, patches, scratch, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !good {
		stop()
		os.Exit(1)
	}
}

// run tries the mutants of a folder that have these names, or all, in a scratch folder that it makes, and reports whether each was
// noticed.
func run(ctx context.Context, out io.Writer, tree, dir, scratch string, names []string) (good bool, err error) {
	list, err := mutants(dir, names)
	if err != nil {
		return false, err
	}
	leave, err := enter(scratch)
	if err != nil {
		return false, err
	}
	defer leave()
	t := trial{scratch, filepath.Join(scratch, "tree"), make(map[string]bool)}
	if tree, err = filepath.Abs(tree); err == nil {
		err = command(ctx, scratch, "git", "clone", "-q", "--shared", tree, t.tree)
	}
	if err != nil {
		return false, err
	}
	var table strings.Builder
	noticed := 0
	for _, m := range list {
		begin := time.Now()
		word, why := t.try(ctx, m)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if why == nil {
			noticed++
			fmt.Fprintf(&table, "%-8s %-28s %4.0f s  %s\n", word, m.name, time.Since(begin).Seconds(), strings.Join(m.test, " "))
			fmt.Fprintf(out, "%s: %s\n", word, m.name)
			continue
		}
		fmt.Fprintf(out, "%s: %s: %v\n", word, m.name, why)
		fmt.Fprintf(&table, "%-8s %-28s %4.0f s  %s\n", word, m.name, time.Since(begin).Seconds(), m.about)
	}
	fmt.Fprintf(out, "\n%s%d of %d were noticed\n", table.String(), noticed, len(list))
	return noticed == len(list), nil
}

// enter makes a folder of this process alone, and empties it of what a run has left that was killed. leave removes it.
func enter(folder string) (leave func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	entries, failed := lock.ReadDir(-1)
	if err = errors.Join(err, failed); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is in use: %w", folder, err), lock.Close())
	}
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = errors.Join(os.RemoveAll(folder), lock.Close()) }, nil
}

// A mutant is a mistake and the test that must notice it.
type mutant struct {
	name, path string
	about      string
	test       []string
	patch      string
}

func mutants(dir string, names []string) (list []*mutant, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.patch"))
	if len(names) > 0 {
		paths = paths[:0]
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name+".patch"))
		}
	}
	for _, path := range paths {
		m, err := read(path)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, err
}

func read(path string) (*mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	head, patch, _ := strings.Cut(string(text), "\ndiff ")
	about, test, _ := strings.Cut(head, "\ntest: ")
	m := &mutant{strings.TrimSuffix(filepath.Base(path), ".patch"), path, about, strings.Fields(test), patch}
	if ctest := len(m.test) >= 2 && m.test[0] == "ctest"; about == "" || patch == "" || !ctest && len(m.test) != 3 {
		return nil, fmt.Errorf("%s: want a sentence, a line with a test, and a patch", path)
	}
	m.path, err = filepath.Abs(path)
	return m, err
}

// files are those that the patch changes.
func (m *mutant) files() (list []string) {
	for line := range strings.Lines(m.patch) {
		if path, found := strings.CutPrefix(line, "+++ b/"); found {
			list = append(list, strings.TrimSpace(path))
		}
	}
	return list
}

// cTests is the folder of the C tests of the package that the patch changes.
func (m *mutant) cTests(tree string) string {
	return filepath.Join(tree, filepath.Dir(m.files()[0]), "testdata/ctest")
}

// sentence is a part of what the tests of a C program are called.
func (m *mutant) sentence() string { return strings.Join(m.test[2:], " ") }

// A trial is a copy of the tree. What passes without a mistake need not be run twice.
type trial struct {
	scratch, tree string
	passes        map[string]bool
}

var errPassed = errors.New("the test passes")

// try returns what became of a mutant, in a word, and why if that is not as it must be.
func (t *trial) try(ctx context.Context, m *mutant) (word string, why error) {
	if err := command(ctx, t.tree, "git", "apply", m.path); err != nil {
		return "ERROR", err
	}
	failed := t.build(ctx, m)
	if failed == nil {
		if word = "noticed"; t.test(ctx, m) == nil {
			word, failed = "SURVIVED", errPassed
		}
	} else {
		word = "ERROR"
	}
	if err := command(ctx, t.tree, "git", "apply", "-R", m.path); err != nil {
		return "ERROR", err
	}
	if test := strings.Join(m.test, " "); failed == nil && !t.passes[test] {
		if err := errors.Join(t.build(ctx, m), t.test(ctx, m)); err != nil {
			return "ERROR", fmt.Errorf("the test fails without the mistake, too: %w", err)
		}
		t.passes[test] = true
	}
	return word, failed
}

// build compiles the test and, since that may be of another package, what the patch changes: go list -export does it without linking.
func (t *trial) build(ctx context.Context, m *mutant) error {
	if m.test[0] == "ctest" {
		return command(ctx, m.cTests(t.tree), "make", "programs-plain", "COMPILING=1", "BUILDS=plain", "TESTS="+m.test[1])
	}
	for _, path := range m.files() {
		if err := command(ctx, filepath.Join(t.tree, filepath.Dir(path)), "go", "list", "-export", "."); err != nil {
			return err
		}
	}
	return command(ctx, filepath.Join(t.tree, m.test[0]), "go", "test", "-c", "-o", filepath.Join(t.scratch, "test"), m.test[1])
}

func (t *trial) test(ctx context.Context, m *mutant) error {
	if m.test[0] == "ctest" {
		return command(ctx, m.cTests(t.tree), "make", "BUILDS=plain", "plain", "TESTS="+m.test[1], "ONLY="+m.sentence())
	}
	return command(ctx, filepath.Join(t.tree, m.test[0], m.test[1]), filepath.Join(t.scratch, "test"), "-test.run=^"+m.test[2]+"$", "-test.timeout=10m")
}

// command runs a command. The error has what it printed.
func command(ctx context.Context, dir string, words ...string) error {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir = dir
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(os.Interrupt) }, 10*time.Second
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, out[max(0, len(out)-2000):])
	}
	return nil
}
