package symbolize

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// systemLibrary is where the compiler finds a library.
func systemLibrary(t *testing.T, name string) string {
	t.Helper()
	output, err := exec.Command("gcc", "-print-file-name="+name).Output()
	path := strings.TrimSpace(string(output))
	if err != nil || path == name {
		t.Fatal("gcc finds no ", name)
	}
	return path
}

// withoutBuildID copies a library so that addr2line does not find its debug data elsewhere.
func withoutBuildID(t *testing.T, path string) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), filepath.Base(path))
	command := exec.Command("objcopy", "-R", ".note.gnu.build-id", "-R", ".gnu_debuglink", path, copied)
	if output, err := command.CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, output)
	}
	return copied
}

// every keeps each n-th of the addresses.
func every(n int, addresses []mappings.ELFAddr) []mappings.ELFAddr {
	kept := addresses[:0]
	for i := 0; i < len(addresses); i += n {
		kept = append(kept, addresses[i])
	}
	return kept
}

func TestLibrariesWithoutDebugDataAreNamedBySymbols(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	for _, name := range []string{"libc.so.6", "libstdc++.so.6"} {
		t.Run(name, func(t *testing.T) {
			path := withoutBuildID(t, systemLibrary(t, name))
			agree(t, path, every(61, everyByte(t, path)))
		})
	}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

var (
	agreeAddresses = flag.Int("agree.addresses", 2000, "how many addresses of each file are compared with addr2line")
	agreeFiles     = flag.String("agree.files", "", "files to compare, separated by commas, besides those that are always compared")
)

// ownBinary is a program that every machine can have: this test with its debug data, which go test leaves out.
func ownBinary(t *testing.T) string {
	t.Helper()
	need(t, "go")
	path := filepath.Join(t.TempDir(), "symbolize.test")
	tool(t, "go", "test", "-c", "-o", path, ".")
	return path
}

// largestDebugFiles are the largest separate debug files of the machine, if there are any: libc's, say.
func largestDebugFiles() []string {
	files, _ := filepath.Glob("/usr/lib/debug/.build-id/*/*.debug")
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(fileSize(b), fileSize(a)) })
	return files[:min(len(files), 2)]
}

// To compare more addresses of more files: make agree, or
//
//	go test ./symbolize -run AsAddr2lineReadsIt -v -agree.addresses 50000 -agree.files PROGRAM,LIBRARY
func TestRealDebugDataIsReadAsAddr2lineReadsIt(t *testing.T) {
	find := map[string]func(*testing.T) string{
		"this test": ownBinary,
		"libc":      func(t *testing.T) string { return systemLibrary(t, "libc.so.6") },
		"libstdc++": func(t *testing.T) string { return systemLibrary(t, "libstdc++.so.6") },
	}
	for _, path := range slices.Concat(largestDebugFiles(), strings.FieldsFunc(*agreeFiles, func(r rune) bool { return r == ',' })) {
		find[filepath.Base(path)] = func(*testing.T) string { return path }
	}
	for _, name := range slices.Sorted(maps.Keys(find)) {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "libc" {
				t.Skip("long: make test-all runs it")
			}
			path := find[name](t)
			addresses := everyByte(t, path)
			agree(t, path, every(len(addresses) / *agreeAddresses + 1, addresses))
		})
	}
}
