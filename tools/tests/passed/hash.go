package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// hash returns a hash of all that a test depends on: doc comment of the command.
func hash(name string, words []string) (string, error) {
	rows, err := readRows()
	if err != nil {
		return "", err
	}
	r := rows[name]
	if r == nil {
		return "", fmt.Errorf("%s has no row %q", inputsFile, name)
	}
	files, err := r.all()
	if err != nil {
		return "", fmt.Errorf("%s of %s: %w", inputsFile, name, err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %s\n", words, runtime.GOARCH)
	for _, tool := range append([]string{"go", "gcc"}, r.tools...) {
		fmt.Fprintf(sum, "%s: %s\n", tool, version(tool))
	}
	if words[0] == "make" && len(words) > 1 {
		text, err := rules(words[1])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q\n", text)
	}
	for _, file := range files {
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

// version returns the first line that a tool prints of its version, or "none".
func version(tool string) string {
	ask := "--version"
	if tool == "go" {
		ask = "version"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, tool, ask).Output()
	if err != nil {
		return "none"
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

var (
	defined  = regexp.MustCompile(`^(?:\$\()?([\w-]+)\)? *[:?+]?[:=]`)
	referred = regexp.MustCompile(`\$\((?:call )?([\w-]+)`)
)

// rules returns the Makefile's rule for a target, and all variables and rules that this names as $(NAME).
func rules(target string) ([]string, error) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	name := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "##") // help
		if !strings.HasPrefix(line, "\t") {
			if name = ""; defined.MatchString(line) {
				name = defined.FindStringSubmatch(line)[1]
			}
		}
		if name != "" {
			all[name] += strings.TrimSpace(line) + "\n"
		}
	}
	if all[target] == "" {
		return nil, fmt.Errorf("the Makefile has no rule for %q", target)
	}
	needed, todo := make(map[string]bool), []string{target}
	for len(todo) > 0 {
		name, todo = todo[0], todo[1:]
		if needed[name] || all[name] == "" {
			continue
		}
		needed[name] = true
		for _, match := range referred.FindAllStringSubmatch(all[name], -1) {
			todo = append(todo, match[1])
		}
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		texts = append(texts, all[name])
	}
	return texts, nil
}
