package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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

// inputs returns a hash of the names and contents of all files that a name's rows list.
func inputs(name string) (string, error) {
	rows, err := readTable(inputsFile)
	if err != nil {
		return "", err
	}
	var files []string
	for _, pattern := range rows[name] {
		found, err := filesOf(pattern)
		if err != nil {
			return "", fmt.Errorf("%s of %s: %w", pattern, name, err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return "", fmt.Errorf("%s lists no files for %q", inputsFile, name)
	}
	slices.Sort(files)
	sum := sha256.New()
	for _, file := range slices.Compact(files) {
		if err := add(sum, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func add(sum io.Writer, path string) error {
	content, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Fprintf(sum, "%q %d\n%s", filepath.ToSlash(path), len(content), content)
	}
	return err
}

// filesOf lists the files that a pattern matches, and those in folders that it matches: there must be some.
func filesOf(pattern string) (files []string, err error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	for _, match := range matches {
		err := filepath.WalkDir(match, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fs.ErrNotExist
	}
	return files, nil
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
