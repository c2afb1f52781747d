package mappings

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"testing"
)

// auxiliary is a value that the kernel passed to this process at its start (getauxval(3)).
func auxiliary(t *testing.T, key uint64) uint64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		t.Skip(err)
	}
	for ; len(data) >= 16; data = data[16:] {
		if binary.NativeEndian.Uint64(data) == key {
			return binary.NativeEndian.Uint64(data[8:])
		}
	}
	t.Skipf("the kernel gave no value %d", key)
	return 0
}

func TestSelf(t *testing.T) {
	const entry, vdso = 9, 33 // AT_ENTRY, AT_SYSINFO_EHDR
	modules, err := Self()
	if err != nil || len(modules) == 0 {
		t.Fatal(err)
	}
	t.Run("the program comes first, and its entry point has the ELF address that its header states", func(t *testing.T) {
		file, err := elf.Open("/proc/self/exe")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		address := RuntimeAddr(auxiliary(t, entry))
		if got := modules[0].ELFAddr(address); uint64(got) != file.Entry || modules[0].Err != nil {
			t.Errorf("%#x, want %#x: %+v", got, file.Entry, modules[0])
		}
	})
	t.Run("the vdso lies where the kernel says, and has a build ID", func(t *testing.T) {
		start := RuntimeAddr(auxiliary(t, vdso))
		at := slices.IndexFunc(modules, func(m Module) bool { return m.Path == vdsoPath })
		if at < 0 || modules[at].Ranges[0].Start != start || modules[at].BuildID == "" || modules[at].Err != nil {
			t.Errorf("not at %#x: %+v", start, modules)
		}
	})
}
