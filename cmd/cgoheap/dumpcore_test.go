//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// coreWith writes a core file that has no memory, of a process that had mapped these files; as the kernel does (core(5)).
func coreWith(t *testing.T, path string, files ...string) {
	t.Helper()
	var list, b bytes.Buffer
	words := []uint64{uint64(len(files)), 4096}
	for i := range files {
		words = append(words, uint64(i)<<20, uint64(i+1)<<20, 0)
	}
	write := func(to *bytes.Buffer, what any) {
		if err := binary.Write(to, binary.NativeEndian, what); err != nil {
			t.Fatal(err)
		}
	}
	write(&list, words)
	list.WriteString(strings.Join(files, "\x00") + "\x00")
	const headers = 64 + 56
	head := elf.Header64{Type: uint16(elf.ET_CORE), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1}
	copy(head.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	const name, kind = 0x45524f43, 0x46494c45 // "CORE", NT_FILE
	note := []uint32{5, 5, 1, name, 0, 0, 0, 5, uint32(list.Len()), kind, name, 0}
	bytesOfNotes := uint64(4*len(note) + list.Len())
	write(&b, head)
	write(&b, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: headers, Filesz: bytesOfNotes})
	write(&b, note)
	b.Write(list.Bytes())
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestACoreFileOfAProcessWithABox(t *testing.T) {
	box, kill := recorded(t, toolchain.Memory(t))
	core := filepath.Join(t.TempDir(), "core")
	coreWith(t, core, "/lib/libc.so.6", box, "/lib/libm.so.6")
	dump := func() (code int, trouble string, d dumped) {
		t.Helper()
		_ = os.Remove(core + ".pb.gz")
		code, out, trouble := ranWith(t, "", "dump", "-json", "-o", core+".pb.gz", core)
		if err := json.Unmarshal([]byte(out), &d); code == exitGood && err != nil {
			t.Error(err, out)
		}
		return code, trouble, d
	}
	if code, trouble, _ := dump(); code != exitUnreadable || !strings.Contains(trouble, box) || !strings.Contains(trouble, "its process still runs") {
		t.Errorf("while it runs: %d, %s", code, trouble)
	}
	kill(syscall.SIGKILL)
	if code, trouble, d := dump(); code != exitGood || d.Box != box || leakIn(t, core+".pb.gz")[3] != leaked || !exists(box) {
		t.Errorf("%d, %s, %+v", code, trouble, d)
	}
	text, err := os.ReadFile(box)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(box); err != nil {
		t.Fatal(err)
	}
	if code, trouble, _ := dump(); code != exitUnreadable || !strings.Contains(trouble, box) || !strings.Contains(trouble, "that file is gone") {
		t.Errorf("without the box: %d, %s", code, trouble)
	}
	beside := filepath.Join(filepath.Dir(core), filepath.Base(box))
	if err := os.WriteFile(beside, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, trouble, d := dump(); code != exitGood || d.Box != beside {
		t.Errorf("beside the core file: %d, %s, %+v", code, trouble, d)
	}
	coreWith(t, core, "/lib/libc.so.6")
	if code, trouble, _ := dump(); code != exitUnreadable || !strings.Contains(trouble, "no recording was found") {
		t.Errorf("of one without a box: %d, %s", code, trouble)
	}
}
