package remote

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func blocksOf(t *testing.T, file *os.File) int64 {
	t.Helper()
	var s unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &s); err != nil {
		t.Fatal(err)
	}
	return s.Blocks
}

// A file with data here and there is read whole, copied or in place, and takes no more room afterwards, but for small holes.
func TestReadingAFileMakesNoRoomInItsHoles(t *testing.T) {
	const size = 16 << 20
	for _, dir := range []string{t.TempDir(), "/dev/shm"} {
		for _, mostCopied := range []int64{0, size} {
			file, err := os.CreateTemp(dir, "cgoheap-test-*")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			defer os.Remove(file.Name())
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				data := bytes.Repeat([]byte{byte(1 + random.IntN(255))}, 1+random.IntN(20_000))
				if _, err := file.WriteAt(data, random.Int64N(size/2)); err != nil {
					t.Fatal(err)
				}
			}
			if err := file.Truncate(size); err != nil {
				t.Fatal(err)
			}
			before := blocksOf(t, file)
			got, unmap, err := mapFile(file, size, mostCopied)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for i := 0; i < size; i += 4096 {
				sum += int(got[i])
			}
			if after := blocksOf(t, file); after > before+20*together/512 || sum == 0 {
				t.Errorf("%s, %d bytes copied: %d blocks, then %d", dir, mostCopied, before, after)
			}
			want, err := os.ReadFile(file.Name())
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes copied: other bytes, %v", dir, mostCopied, err)
			}
			unmap()
		}
	}
}

// What may be written counts against RLIMIT_DATA: that is what is copied, not the whole region.
func TestReadingAFileTakesLittleOfTheLimitOnData(t *testing.T) {
	const size = 16 << 30
	file, err := os.Create(filepath.Join(t.TempDir(), "box"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte("data"), size/2); err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	before := mayBeWritten(t)
	got, unmap, err := mapFile(file, size, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer unmap()
	if after := mayBeWritten(t); string(got[size/2:][:4]) != "data" || after > before+size/2 {
		t.Errorf("%q, and %d bytes may be written, %d before", got[size/2:][:4], after, before)
	}
}

// mayBeWritten returns VmData: bytes of the process's private mappings that may be written.
func mayBeWritten(t *testing.T) (bytes uint64) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmData: %d kB", &bytes); err == nil {
			return bytes << 10
		}
	}
	t.Fatal("no VmData")
	return 0
}

// Somebody makes the file shorter while it is read.
func TestAPageThatIsGoneIsAnError(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(bytes.Repeat([]byte{7}, 1<<20)); err != nil {
		t.Fatal(err)
	}
	memory, unmap, err := mapFile(file, 1<<20, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unmap()
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	read := byte(0)
	if err := withoutFaults(func() error { read = memory[1<<19]; return nil }); !errors.Is(err, ErrFault) {
		t.Errorf("%d, %v", read, err)
	}
	other := errors.New("another")
	if err := withoutFaults(func() error { return other }); !errors.Is(err, other) {
		t.Error(err)
	}
	defer func() {
		if cause := recover(); cause != "not a fault" {
			t.Error(cause)
		}
	}()
	_ = withoutFaults(func() error { panic("not a fault") })
}
