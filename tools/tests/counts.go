package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
)

// counts are the outcomes of tests, subtests included.
type counts struct {
	Passed, Failed int
	Broken         int // packages, and runs of go test, that failed without a failed test
	Skips          []skip
	Flaky          []flaky
	failures       []*failure
	Slow           []timed `json:"-"`
}

func (c *counts) add(other counts) {
	c.Passed += other.Passed
	c.Failed += other.Failed
	c.Broken += other.Broken
	c.Skips = append(c.Skips, other.Skips...)
	c.Flaky = append(c.Flaky, other.Flaky...)
	c.failures = append(c.failures, other.failures...)
	c.Slow = append(c.Slow, other.Slow...)
}

// addNew adds skips of tests that are not among the skipped yet.
func (c *counts) addNew(skips []skip) {
	for _, s := range skips {
		if !slices.ContainsFunc(c.Skips, func(old skip) bool { return old.Package == s.Package && old.Test == s.Test }) {
			c.Skips = append(c.Skips, s)
		}
	}
}

// record adds the counts to the end of a file; "" is none.
func (c *counts) record(path string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(file).Encode(c), file.Close())
}

// readRecord adds up all counts in a file.
func readRecord(path string) (sum counts, err error) {
	file, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	for recorded := json.NewDecoder(file); ; {
		var c counts
		if err := recorded.Decode(&c); errors.Is(err, io.EOF) {
			return sum, nil
		} else if err != nil {
			return sum, err
		}
		sum.add(c)
	}
}
