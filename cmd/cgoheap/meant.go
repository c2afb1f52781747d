package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// built says what command this is: its version, and what it was built with and for.
func built() string {
	version := "of an unknown version"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && version == "(devel)" {
				version += " " + s.Value
			}
		}
	}
	return fmt.Sprintf("cgoheap %s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// meant asks whether the nearest of the known names was meant, if one is near.
func meant(name string, known []string) string {
	nearest, least := "", 3
	for _, k := range known {
		if d := distance(name, k); d < min(least, len(k)) {
			nearest, least = k, d
		}
	}
	if name == "" || nearest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}

// distance is Levenshtein's: how many bytes must be put in, left out or replaced to make one text of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
