//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The twin calls no function of libc, whose locks other threads held at the instant, and none that it does not contain itself; but for
// those that compilers insert, which take no lock.
func TestTheTwinCallsNobody(t *testing.T) {
	files, err := filepath.Glob("twin*.c")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	cc, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"memcpy", "memset", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_"}
	defined, wanted := map[string]bool{}, map[string]string{}
	for _, file := range files {
		object := filepath.Join(t.TempDir(), file+".o")
		out, err := exec.Command(strings.TrimSpace(string(cc)), "-O2", "-fno-omit-frame-pointer", "-ftls-model=initial-exec",
			"-fvisibility=hidden", "-fno-plt", "-fPIC", "-c", "-o", object, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		o, err := elf.Open(object)
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := o.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			switch {
			case elf.ST_BIND(s.Info) == elf.STB_LOCAL || s.Name == "":
			case s.Section == elf.SHN_UNDEF:
				wanted[s.Name] = file
			default:
				defined[s.Name] = true
			}
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, file := range wanted {
		if !defined[name] && !slices.Contains(allowed, name) {
			t.Errorf("%s needs %s, which no file of the twin's defines", file, name)
		}
	}
}
