package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A build is a way to make an executable of the program core.
type build struct {
	name       string // also the executable's
	libc, mode string // for the table
	toolchain  string // "": the current one
	tags       string
	flags      []string // of go build
	env        []string
	main       string    // a C program around the library that Go builds; "": none
	mainFlags  []string  // of the C compiler
	plugin     bool      // core is a plugin, which the program opener opens
	opener     []string  // flags of go build for opener only
	brought    *prefixed // an allocator that core brings along
	arguments  string    // for core, about this build; PLUGIN stands for the plugin's path
	needs      []need
}

// make makes the build's executable at that path, and beside it the files that the executable opens.
func (b build) make(path string) error {
	if b.plugin {
		return errors.Join(b.goBuild(path+".so", "../core", "-buildmode=plugin"), b.goBuild(path, "../opener", append([]string{"-tags=profiler"}, b.opener...)...))
	}
	if b.brought != nil {
		if err := b.brought.make(path + ".a"); err != nil {
			return err
		}
		b.env = b.brought.withLibrary(b.env, path+".a")
	}
	if b.main == "" {
		return b.goBuild(path, "../core")
	}
	library := path + ".a"
	if strings.Contains(b.mode, "c-shared") {
		library = filepath.Join(filepath.Dir(path), "lib"+b.name+".so")
	}
	if err := b.goBuild(library, "../core"); err != nil {
		return err
	}
	args := []string{"gcc", "-O2", "-g", "-I" + filepath.Dir(path), "-DLIBRARY=\"" + library + "\"", "-o", path, "testdata/" + b.main}
	for _, flag := range b.mainFlags {
		args = append(args, strings.ReplaceAll(flag, "LIBRARY", library))
	}
	return command(nil, append(args, "-lpthread")...)
}

func (b build) goBuild(path, program string, flags ...string) error {
	args := []string{"go", "build"}
	if b.tags != "" {
		args = append(args, "-tags="+b.tags)
	}
	args = append(slices.Concat(args, b.flags, flags), "-o", path, program)
	env := b.env
	if b.toolchain != "" {
		env = append(env[:len(env):len(env)], "GOTOOLCHAIN="+b.toolchain)
	}
	return command(env, args...)
}

// command runs a tool in this package's directory.
func command(env []string, words ...string) error {
	return toolchain.Tool{Folder: here(), Env: env, Words: words}.Run()
}
