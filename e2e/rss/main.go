package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rss:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	chosen, err := selected(names)
	if err != nil {
		return err
	}
	if err := install(missing(chosen)); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cgoheap-rss-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var columns []column
	var faults []string
	for _, p := range chosen {
		c, err := p.audit(dir)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", p.library, err))
			continue
		}
		for _, fault := range c.Faults() {
			faults = append(faults, p.library+": "+fault)
		}
		for _, fault := range c.rest.Faults() {
			faults = append(faults, p.library+" at rest: "+fault)
		}
		columns = append(columns, c)
	}
	printTable(os.Stdout, columns)
	for _, fault := range faults {
		fmt.Println("FAILED:", fault)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults", len(faults))
	}
	return nil
}

// atRest is how often the account is taken while no round is under way.
const atRest = "20"

// audit runs the program twice: under load, and at rest.
func (p *program) audit(dir string) (c column, err error) {
	c.program = *p
	if c.Result, err = p.run(dir); err != nil {
		return c, err
	}
	c.rest, err = p.run(dir, "-rest", "-moments", atRest)
	return c, err
}

// run builds the program and runs it in an empty folder. Go's cache keeps what did not change.
func (p *program) run(dir string, flags ...string) (*audit.Result, error) {
	fmt.Fprintf(os.Stderr, "== %s\n", p.library)
	path, scratch := filepath.Join(dir, p.folder), filepath.Join(dir, p.folder+".scratch")
	if out, err := exec.Command("go", "build", "-tags", "rss", "-o", path, "./"+p.folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building: %w\n%s", err, out)
	}
	defer os.RemoveAll(path)
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	c := exec.Command(path, flags...)
	c.Dir, c.Stderr = scratch, os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, err
	}
	r := new(audit.Result)
	return r, json.Unmarshal(text, r)
}
