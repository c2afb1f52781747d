//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo_test

import (
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// Libraries copy the header, and compile it as strictly as they like.
func TestTheHeaderWithoutCgoheap(t *testing.T) {
	tools := toolchain.Target(t)
	for about, compile := range map[string][]string{
		"C99":   {"gcc", "-std=c99", "-x", "c"},
		"C11":   {"gcc", "-std=c11", "-O2", "-x", "c"},
		"C++11": {"g++", "-std=c++11", "-x", "c++"},
		"C++17": {"g++", "-std=c++17", "-O2", "-fPIE", "-pie", "-x", "c++"},
	} {
		t.Run(about, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "alone")
			tools.Build(t, compile[0], append(compile[1:], "testdata/pools/alone.c", "-I.", "-Wall", "-Wextra", "-Werror", "-pedantic",
				"-o", program)...)
			if output, err := tools.Run(program).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}
