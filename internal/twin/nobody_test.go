//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// textOf returns the text of files.
func textOf(t *testing.T, pattern string) (text string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	for _, file := range files {
		one, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(one)
	}
	return text
}

// Go builds no package anew when a header of another changes (golang/go#24355). So what goes to the kernel is copied.
func TestWhatIsCopiedFromPackageCgoIsTheSame(t *testing.T) {
	var copied []string
	own := []string{"allow_loads", "system_call"}
	functions := regexp.MustCompile(`(?ms)^static inline [^;{}]*?\b(\w+)\([^;{}]*\)\n\{\n.*?^\}\n`)
	theirs := textOf(t, "../../cgo/*.h")
	for _, f := range functions.FindAllStringSubmatch(textOf(t, "machine*.h"), -1) {
		if slices.Contains(own, f[1]) {
			continue
		}
		if copied = append(copied, f[1]); !strings.Contains(theirs, "\n"+f[0]) {
			t.Errorf("package cgo has another %s:\n%s", f[1], f[0])
		}
	}
	if want := []string{"pages_map", "pages_unmap", "system_call6", "system_call6"}; !slices.Equal(copied, want) {
		t.Errorf("compared are %q, want %q", copied, want)
	}
}

// The twin calls no function of libc, whose locks other threads held at the instant, and none that it does not contain itself; but for
// those that compilers insert, which take no lock. It has no variables: where a plugin has a copy of it, that serves as well.
func TestTheTwinCallsNobody(t *testing.T) {
	files, err := filepath.Glob("*.c")
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
		out, err := exec.Command(strings.TrimSpace(string(cc)), "-O2", "-fno-omit-frame-pointer",
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
			if elf.ST_TYPE(s.Info) == elf.STT_OBJECT && o.Sections[s.Section].Flags&elf.SHF_WRITE != 0 {
				t.Errorf("%s has the variable %s", file, s.Name)
			}
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
