//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Package internal/layout is what C compiles to: Go reads the region by it.
func TestGoKnowsTheRegionsLayout(t *testing.T) {
	const path = "../internal/layout/layout.go"
	now, err := format.Source([]byte(structures()))
	if err != nil {
		t.Fatal(err)
	}
	then, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(now, then) {
		return
	}
	if structs, version := regexp.MustCompile(`(?s)\n// struct.*`), regexp.MustCompile(`Version +=.*`); *update &&
		structs.FindString(string(now)) != structs.FindString(string(then)) &&
		version.FindString(string(now)) == version.FindString(string(then)) {
		t.Fatalf("structs changed and REGION_VERSION in region.h did not: raise it\n%s", cmp.Diff(string(then), string(now)))
	}
	if !*update {
		t.Fatalf("the C has another layout: go test ./cgo -run Region -update\n%s", cmp.Diff(string(then), string(now)))
	}
	if err := os.WriteFile(path, now, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every struct that C reserves in the region is in the layout.
func TestTheLayoutHasWhatIsReserved(t *testing.T) {
	layout := structures()
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	reserved := regexp.MustCompile(`region_reserve\(.*sizeof\(?(?:struct )?(\w+)`)
	found := 0
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range reserved.FindAllStringSubmatch(string(text), -1) {
			found++
			if !strings.Contains(layout, "// struct "+match[1]+"\n") {
				t.Errorf("%s reserves %q, which is no struct of the layout", source, match[0])
			}
		}
	}
	if found < 5 {
		t.Errorf("%d places were found that reserve a struct", found)
	}
}
