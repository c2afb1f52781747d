package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A row is what a test depends on, as the lines of inputs.txt with its name say.
type row struct {
	packages [][]string // a module's folder, then words for go list: packages that the test runs, and builds
	files    []string   // patterns of further files and folders
	out      []string   // patterns of what the packages depend on, and the test does not judge, but for what files has
	tools    []string   // programs whose versions count, besides go and gcc
}

func readRows() (map[string]*row, error) {
	table, err := readTable(inputsFile)
	if err != nil {
		return nil, err
	}
	rows := make(map[string]*row)
	for name, words := range table {
		if rows[name], err = readRow(words); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", inputsFile, name, err)
		}
	}
	return rows, nil
}

// readRow reads words, the first of each line ending in a colon.
func readRow(words []string) (*row, error) {
	r, list := new(row), new([]string)
	for _, word := range append(words, "end:") {
		switch word {
		case "files:":
			list = &r.files
		case "out:":
			list = &r.out
		case "tools:":
			list = &r.tools
		case "go:":
			r.packages = append(r.packages, nil)
			list = &r.packages[len(r.packages)-1]
		case "end:":
		default:
			*list = append(*list, word)
		}
	}
	if slices.ContainsFunc(r.packages, func(p []string) bool { return len(p) < 2 }) || len(r.packages)+len(r.files) == 0 {
		return nil, fmt.Errorf("want go: FOLDER PACKAGE..., or files: FILE..., in %q", words)
	}
	return r, nil
}

// readTable reads a file of lines of a name and words. What begins with # is a comment.
func readTable(path string) (map[string][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows := make(map[string][]string)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			rows[words[0]] = append(rows[words[0]], words[1:]...)
		}
	}
	return rows, nil
}

// record writes a name's hash into the file, in place of an older one.
func record(name, hash string) error {
	text, err := os.ReadFile(passedFile)
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 0 || words[0] != name {
			lines = append(lines, line)
		}
	}
	return os.WriteFile(passedFile, []byte(strings.Join(lines, "")+name+" "+hash+"\n"), 0o644)
}
