//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// What README shows of cgoheap run is what it prints.
func TestTheSampleOfTheReadme(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("needs g++ (Debian: g++)")
	}
	readme, err := filepath.Abs("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	words, err := workshop.Make("words", func(path string) error {
		return toolchain.Tool{Words: []string{"g++", "-g", "-O2", "-o", path, "testdata/words.cc"}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	tables := forRuns(t)
	var book strings.Builder
	for n := range 800 {
		fmt.Fprintf(&book, "line %d of a book with a word%d that is in no other one of its lines\n", n, n)
	}
	if err := os.WriteFile("book.txt", []byte(book.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, trouble := ranWith(t, "", "run", "-exact", "-tables", tables, words, "book.txt")
	if code != 0 {
		t.Fatalf("exit code %d, %s", code, trouble)
	}
	profiletest.CheckSample(t, readme, "cgoheap run -exact ./words book.txt", trouble)
}
