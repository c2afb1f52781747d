package preload

import (
	"embed"
	"fmt"
	"hash"
	"io/fs"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/cgo"
)

// own are the C files of this package. Their first line keeps the go command off them.
//
//go:embed *.c *.h
var own embed.FS

// source is a file that the library is made of.
type source struct {
	name string
	text []byte
}

// isCompiled reports whether a file of C is compiled for a target. Left out is what only Go calls, and what stands in for hooks where a
// program is linked with them.
func isCompiled(name string, t Target) bool {
	for _, prefix := range []string{"probe", "brought_"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	if name == "hooks_device.c" || name == "real_driver.c" {
		return t.Devices
	}
	other := map[string]string{"amd64": "_arm64.c", "arm64": "_amd64.c"}[t.Arch]
	return strings.HasSuffix(name, ".c") && !strings.HasSuffix(name, other) &&
		!slices.Contains([]string{"allocators.c", "real_wrap.c", "catch.c"}, name)
}

// sources returns all files, in the order of their names.
func sources() (list []source, err error) {
	for _, from := range []fs.FS{cgo.Sources, own} {
		err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(from, name)
			list = append(list, source{name, text})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b source) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(list); i++ {
		if list[i].name == list[i-1].name {
			return nil, fmt.Errorf("two files are called %s", list[i].name)
		}
	}
	return list, nil
}

// hashSources writes the files to a hash, with their lengths.
func hashSources(h hash.Hash, list []source) {
	for _, s := range list {
		fmt.Fprintf(h, "%s %d\n%s", s.name, len(s.text), s.text)
	}
}
