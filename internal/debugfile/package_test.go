package debugfile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// packaged builds a program whose split debug data is in a package.
func packaged(tb testing.TB) (program, packed string) {
	tb.Helper()
	dir := tb.TempDir()
	source := filepath.Join(dir, "unit.c")
	const text = `static inline int twice(int x) { return 2 * x; }
	int main(int n, char **v) { return twice(n) + twice((int)v[0][0]); }`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	program = filepath.Join(dir, "program")
	for _, command := range [][]string{
		{"gcc", "-gdwarf-4", "-gsplit-dwarf", "-O1", "-c", "-o", program + ".o", source},
		{"gcc", "-o", program, program + ".o"},
		{"dwp", "-o", program + ".dwp", program + ".dwo"},
	} {
		if _, err := exec.LookPath(command[0]); err != nil {
			tb.Skip(err)
		}
		if output, err := exec.CommandContext(tb.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			tb.Fatalf("%v: %v: %s", command, err, output)
		}
	}
	return program, program + ".dwp"
}

func FuzzAPackageIndexMayLie(f *testing.F) {
	path, packed := packaged(f)
	program, err := elffile.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { program.Close() })
	whole, err := os.ReadFile(packed)
	if err != nil {
		f.Fatal(err)
	}
	layout, err := elf.NewFile(bytes.NewReader(whole))
	if err != nil {
		f.Fatal(err)
	}
	index := layout.Section(".debug_cu_index")
	var addresses []uint64
	for a := range uint64(0x2000) { // the program is that small
		addresses = append(addresses, a)
	}
	for i := range index.Size {
		f.Add([]byte{byte(i), 0, byte(i) | 1})
	}
	if names(f, program, whole, addresses) == 0 {
		f.Fatal("nothing is named")
	}
	f.Fuzz(func(t *testing.T, changes []byte) {
		changed := bytes.Clone(whole)
		for ; len(changes) >= 3; changes = changes[3:] {
			changed[index.Offset+uint64(binary.LittleEndian.Uint16(changes))%index.Size] = changes[2]
		}
		names(t, program, changed, addresses) // if it had no end, go test's own limit would stop it
	})
}

// names counts the frames at the addresses of a program with a package.
func names(tb testing.TB, program *elffile.File, packed []byte, addresses []uint64) (frames int) {
	tb.Helper()
	file, err := elffile.New(bytes.NewReader(packed), int64(len(packed)), "package")
	if err != nil {
		tb.Fatal(err)
	}
	files := Finder{}.Open(Module{Path: "/nowhere/program", File: program})
	defer files.Close()
	files.packageOnce.Do(func() { files.pack = &kept{source: source{file}} })
	data, err := dwarf.Open(files.Program(func(uint64) bool { return true }))
	if err != nil {
		tb.Fatal(err)
	}
	defer data.Close()
	answers, _ := data.Find(addresses)
	for _, answer := range answers {
		if answer != nil {
			frames += len(answer.Frames)
		}
	}
	return frames
}
