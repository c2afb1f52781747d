package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// all lists the files of the tree that a row's test depends on, sorted.
func (r *row) all() (files []string, err error) {
	if files, err = r.imported(); err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return slices.ContainsFunc(r.out, func(p string) bool { return matches(p, file) })
	})
	for _, pattern := range r.files {
		found, err := filesOf(pattern)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// imported lists the files of the packages and of what they import, also of what is out.
func (r *row) imported() (files []string, err error) {
	for _, words := range r.packages {
		found, err := imported(words[0], words[1:])
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// A listed package is one of those that go list prints: those that it is asked for, their tests, and all that these import.
type listed struct {
	Dir               string
	Standard, DepOnly bool

	GoFiles, CgoFiles, CFiles, CXXFiles, HFiles, SFiles, SysoFiles, EmbedFiles, IgnoredGoFiles, IgnoredOtherFiles []string
}

// files are the names of the package's files, for this machine and for others.
func (p *listed) files() (names []string) {
	all := slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.HFiles, p.SFiles, p.SysoFiles, p.EmbedFiles, p.IgnoredGoFiles, p.IgnoredOtherFiles)
	for _, name := range all {
		if !filepath.IsAbs(name) && !(p.DepOnly && strings.HasSuffix(name, "_test.go")) { // absolute: in Go's cache
			names = append(names, name)
		}
	}
	return names
}

const fields = "-json=Dir,Standard,DepOnly,GoFiles,CgoFiles,CFiles,CXXFiles,HFiles,SFiles,SysoFiles,EmbedFiles,IgnoredGoFiles,IgnoredOtherFiles"

func list(folder string, packages []string) (all []*listed, err error) {
	command := exec.Command("go", append([]string{"list", "-deps", "-test", fields}, packages...)...)
	command.Dir, command.Stderr = folder, os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s in %s: %w", strings.Join(packages, " "), folder, err)
	}
	for lines := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(listed)
		if err := lines.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// imported lists the files of packages, of their tests, with their folders testdata, and of all of the tree that they import; and
// the files that name the versions of what is not in the tree.
func imported(folder string, packages []string) (files []string, err error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	all, err := list(folder, packages)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		dir, inside := strings.CutPrefix(p.Dir+"/", root+"/")
		switch {
		case !inside && !p.Standard && !p.DepOnly:
			return nil, fmt.Errorf("%s is not below %s", p.Dir, root)
		case p.Standard || !inside:
			continue
		}
		for _, name := range p.files() {
			files = append(files, filepath.Join(dir, name))
		}
		if data := filepath.Join(dir, "testdata"); !p.DepOnly && exists(data) {
			found, err := filesOf(data)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if path := filepath.Join(folder, name); exists(path) {
			files = append(files, path)
		}
	}
	return files, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// matches reports whether a pattern matches a file or a folder above it.
func matches(pattern, file string) bool {
	for ; file != "."; file = filepath.Dir(file) {
		if matched, _ := filepath.Match(pattern, file); matched {
			return true
		}
	}
	return false
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
		return nil, fmt.Errorf("%s: %w", pattern, fs.ErrNotExist)
	}
	return files, nil
}
