package preload

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Library returns the path of the library for a target: from the user's cache or, the first time, made by a C compiler within making, which
// is given what is being done. It is made whole or not at all, whoever else makes it meanwhile.
func Library(t Target, making func(what string, do func() error) error) (path string, err error) {
	list, err := sources()
	if err != nil {
		return "", err
	}
	folder, err := cache()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	hashSources(h, list)
	fmt.Fprintln(h, flags, devices, linking, t)
	first := filepath.Join(folder, fmt.Sprintf("libcgoheap-%x", h.Sum(nil)[:8]))
	c, err := findCompiler(t)
	if err != nil { // one that is gone may have made it
		if made, _ := filepath.Glob(first + "-*.so"); len(made) > 0 {
			return made[0], usable(made[0], t)
		}
		return "", err
	}
	id, err := c.identity()
	if err != nil {
		return "", err
	}
	fmt.Fprint(h, id)
	path = fmt.Sprintf("%s-%x.so", first, h.Sum(nil)[:8])
	if _, err := os.Stat(path); err != nil {
		if err := making("compiling libcgoheap.so, once, by "+c[0], func() error { return c.make(folder, list, t, path) }); err != nil {
			return "", err
		}
	}
	return path, usable(path, t)
}

// cache returns the user's folder for libraries.
func cache() (string, error) {
	const instead = "set XDG_CACHE_HOME to a folder that can be written to"
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for the library that records: %w; %s", err, instead)
	}
	dir, err = filepath.Abs(filepath.Join(dir, "cgoheap")) // the program may change its folder before it executes another
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("there is no folder for the library that records: %w; %s", err, instead)
	}
	if strings.ContainsAny(dir, ": ") {
		return "", fmt.Errorf("the loader takes no library from %s, whose path has a space or a colon: set XDG_CACHE_HOME to another folder", dir)
	}
	return dir, nil
}

// removeOld removes what was left by processes that were killed while they made a library.
func removeOld(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, making+"*"))
	for _, work := range left {
		if info, err := os.Stat(work); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(work) // the next one tries again
		}
	}
}

const making = "making-"

// make makes the library in a folder of its own, and gives it its name.
func (c compiler) make(folder string, list []source, t Target, path string) (err error) {
	removeOld(folder)
	work, err := os.MkdirTemp(folder, making)
	if err != nil {
		return fmt.Errorf("the library that records cannot be made: %w; set XDG_CACHE_HOME to a folder that can be written to", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for _, s := range list {
		if err := os.WriteFile(filepath.Join(work, s.name), s.text, 0o600); err != nil {
			return err
		}
	}
	const made = "libcgoheap.so"
	if err := c.build(work, list, t, made); err != nil {
		return fmt.Errorf("the library that records cannot be made: %w", err)
	}
	if err := t.check(filepath.Join(work, made)); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(c, " "), err)
	}
	return os.Rename(filepath.Join(work, made), path)
}

// check returns an error if a library is not for the target.
func (t Target) check(library string) error {
	f, err := elf.Open(library)
	if err != nil {
		return err
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	if machine := machines[t.Arch]; f.Machine != machine {
		return fmt.Errorf("it is for %v, and the program is for %v: set CC to a compiler for that", f.Machine, machine)
	}
	if glibc := slices.Contains(needed, "libc.so.6"); glibc == t.Musl {
		return fmt.Errorf("it is not for the program's libc, which is %s: set CC to a compiler for that", t.libc())
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return err
	}
	hooks := func(s elf.Symbol) bool { return s.Name == "cuMemAlloc_v2" && s.Section != elf.SHN_UNDEF }
	if t.Devices && !slices.ContainsFunc(symbols, hooks) {
		return errors.New("it does not record memory of devices: take one that was made with -device")
	}
	return nil
}

// usable returns an error if the loader would not take a library.
func usable(path string, t Target) error {
	if err := t.check(path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := mayRun(path); err != nil {
		return fmt.Errorf("%s: %w: its file system forbids programs (noexec): take a folder on another one, by XDG_CACHE_HOME or -library", path, err)
	}
	return nil
}

// Given returns the path of a library that somebody has made elsewhere, if it is for the target.
func Given(path string, t Target) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(path, ": ") {
		return "", fmt.Errorf("the loader takes no library from %s, whose path has a space or a colon", path)
	}
	return path, usable(path, t)
}
