package account

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAttachedSegmentsAreThoseOfTheKernelsList(t *testing.T) {
	proc := t.TempDir()
	text := "10000-11000 rw-s 00000000 00:01 7                        /SYSV00000000 (deleted)\n" + // two parts of one attachment
		"11000-12000 r--s 00001000 00:01 7                        /SYSV00000000 (deleted)\n" +
		"13000-14000 rw-s 00003000 00:01 7                        /SYSV00000000 (deleted)\n" +
		"20000-21000 rw-s 00001000 00:01 8                        /SYSV0000002a\n" +
		"30000-31000 rw-p 00000000 00:01 7                        /SYSV00000000\n" + // a file of that name
		"40000-41000 rw-s 00000000 00:01 7                        /dev/zero (deleted)\n" +
		"50000-51000 rw-s 00060000 00:01 7                        /SYSV00000000\n" // no attachment can begin below 0
	if err := os.MkdirAll(filepath.Join(proc, "self"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(proc, "self/maps"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []Attached{{Range{0x10000, 0x11000}, 0x10000, 7}, {Range{0x11000, 0x12000}, 0x10000, 7}, {Range{0x13000, 0x14000}, 0x10000, 7},
		{Range{0x20000, 0x21000}, 0x1f000, 8}}
	got, err := AttachedSegments(proc)
	if err != nil || !cmp.Equal(got, want) {
		t.Error(err, cmp.Diff(want, got))
	}
	if list, err := AttachedSegments(filepath.Join(proc, "none")); err == nil || list != nil {
		t.Errorf("%v, %v of no list", list, err)
	}
}
