//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/preload"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

var workshop *toolchain.Workshop

func TestMain(m *testing.M) { toolchain.RunWith(&workshop, m) }

// stormed starts testdata/storm.c, which is recorded without being rebuilt. Anybody may read its box, and write to none.
func stormed(t *testing.T, settle bool) (box string) {
	t.Helper()
	toolchain.Target(t).Tool(t, "gcc")
	t.Setenv("XDG_CACHE_HOME", workshop.Path("cache"))
	library, err := preload.Library(preload.Target{Arch: runtime.GOARCH}, func(_ string, do func() error) error { return do() })
	if err != nil {
		t.Fatal(err)
	}
	path, err := workshop.Make("storm", func(path string) error {
		return toolchain.Tool{Words: []string{"gcc", "-O1", "-o", path, "testdata/storm.c", "-lpthread"}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := toolchain.Memory(t)
	s := preload.Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 256 << 20, Settle: settle, Children: "none", Boxes: dir}
	c := exec.Command(path)
	c.Env = []string{"LD_PRELOAD=" + library, preload.Variable + "=" + s.String()}
	end, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(end.Close(), c.Wait()); err != nil {
			t.Error(err)
		}
	})
	if line := make([]byte, 5); readAll(out, line) != nil || string(line) != "2000\n" {
		t.Fatalf("%q", line)
	}
	boxes, err := blackbox.Names(dir)
	if err != nil || len(boxes) != 1 {
		t.Fatal(boxes, err)
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(boxes[0], 0o444)); err != nil { //nolint:gosec // others are to read it
		t.Fatal(err)
	}
	return boxes[0]
}

func readAll(from io.Reader, to []byte) error {
	_, err := io.ReadFull(from, to)
	return err
}

// movedBlocks returns how many blocks of the storm's sizes are in use by a box.
func movedBlocks(path string) (blocks int64, settles uint64, err error) {
	file, lives, err := blackbox.Look(path, 0)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	if !lives {
		return 0, 0, errors.New("it is said to be gone")
	}
	r, err := ReadLiving(file)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	var memory scratch.Memory
	defer memory.Free()
	for s := range r.samples(&View{View: report.InUse}, r.reader(&memory)).Each() {
		if s.BlockSize >= 1000 && s.BlockSize < 1016 {
			blocks += s.InuseObjects
			if s.InuseBytes != s.InuseObjects*s.BlockSize {
				err = fmt.Errorf("%d blocks of %d have %d bytes", s.InuseObjects, s.BlockSize, s.InuseBytes)
			}
		}
	}
	return blocks, r.region.Load64(layout.HeaderSettles), err
}

// A reader without any rights but to read the file sees the state of one moment, each time, while all threads record.
func TestALivingBoxIsOfOneMoment(t *testing.T) {
	const inner = "CGOHEAP_TEST_READS"
	if path := os.Getenv(inner); path != "" {
		times, moments, last := 1000, 0, uint64(0)
		if testing.Short() {
			times = 100
		}
		for i := 0; i < times || moments < 4; i++ {
			blocks, settles, err := movedBlocks(path)
			if err != nil || blocks != 2000 {
				t.Fatalf("reading %d: %d blocks, %v", i, blocks, err)
			}
			if settles != last {
				moments, last = moments+1, settles
			}
		}
		t.Logf("of %d moments, by user %d", moments, os.Geteuid())
		return
	}
	box := stormed(t, true)
	for blocks := int64(0); blocks == 0; time.Sleep(10 * time.Millisecond) { // the first settle
		var err error
		if blocks, _, err = movedBlocks(box); err != nil && !errors.Is(err, ErrUnsettled) {
			t.Fatal(err)
		}
	}
	c := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$", fmt.Sprintf("-test.short=%v", testing.Short()))
	c.Env = []string{inner + "=" + box}
	if os.Geteuid() == 0 {
		const nobody = 65534
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// Nothing is read of tables that nobody settles.
func TestALivingBoxThatIsNotSettled(t *testing.T) {
	box := stormed(t, false)
	if blocks, _, err := movedBlocks(box); !errors.Is(err, ErrUnsettled) {
		t.Errorf("%d blocks, %v", blocks, err)
	}
}

// A copy that a settle has cut through is not taken, however often it is tried.
func TestACopyThatIsCutThrough(t *testing.T) {
	path := filepath.Join(toolchain.Memory(t), "cgoheap.x.box")
	head := make([]byte, 1<<20)
	put := func(at int, value uint64) { binary.NativeEndian.PutUint64(head[at:], value) }
	put(layout.HeaderMagic, layout.Magic)
	put(layout.HeaderVersion, layout.Version|1<<32)
	put(layout.HeaderSize, uint64(len(head)))
	put(layout.HeaderStarted, 5e18)
	read := func(settles uint64) error {
		put(layout.HeaderSettles, settles)
		if err := os.WriteFile(path, head, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		r, err := ReadLiving(file)
		if err == nil {
			defer r.Close()
			for _, v := range []report.View{report.Peak, report.Age} {
				if err := r.Write(io.Discard, View{View: v}, symbolize.New(symbolize.Options{})); err == nil || !strings.Contains(err.Error(), "cgoheap dump -view "+v.Name) {
					t.Errorf("%s: %v", v.Name, err)
				}
			}
			err = r.Write(io.Discard, View{View: report.InUse}, symbolize.New(symbolize.Options{}))
		}
		return err
	}
	for settles, want := range map[uint64]error{0: ErrUnsettled, 1: errUnsteady, 7: errUnsteady, 8: nil} {
		if err := read(settles); !errors.Is(err, want) {
			t.Errorf("%d: %v, want %v", settles, err, want)
		}
	}
	put(layout.HeaderMissing, 1)
	if err := read(8); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	clear(head)
	if err := read(0); err == nil || !strings.Contains(err.Error(), "nothing is recorded in it") || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

// What is left of parts is whole pages, which may have some of the others.
func TestPartsWithoutOthers(t *testing.T) {
	page := int64(os.Getpagesize())
	got := except([]part{{0, 4 * page}, {6 * page, 8 * page}}, []part{{page + 1, 3*page + 1}, {5 * page, 9 * page}, {0, 0}})
	if want := []part{{0, 2 * page}, {3 * page, 4 * page}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What a program makes while its file is copied is whole in the copy, also in pages that were not there, and what it changes stays as it was.
// What is read once has nothing new.
func TestWhatIsMadeDuringACopyIsInIt(t *testing.T) {
	file, err := os.Create(filepath.Join(toolchain.Memory(t), "tables"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write := func(at int64, text string) {
		if _, err := file.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
	}
	const size = 4 << 20
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	write(0, "seen____")
	write(3<<20, "left out")
	first := readings[0]
	defer func() { readings[0] = first }()
	readings[0] = func(file *os.File, to []byte, from int64, once part) error {
		if from == 0 {
			defer write(0, "changed_beside__at once_again___")
			defer write(2<<20, "new page")
		}
		return first(file, to, from, once)
	}
	memory, unmap, err := copyChanging(file, size, []part{{3 << 20, 4 << 20}}, part{16, 24})
	if err != nil {
		t.Fatal(err)
	}
	defer unmap()
	for at, want := range map[int]string{0: "seen____beside__\x00\x00\x00\x00\x00\x00\x00\x00again___", 2 << 20: "new page", 3 << 20: "\x00\x00\x00\x00"} {
		if got := string(memory[at:][:len(want)]); got != want {
			t.Errorf("at %#x: %q, want %q", at, got, want)
		}
	}
}

func TestGosHeapInALivingBoxIsNoNewerThanItsTables(t *testing.T) {
	region := make(tables.Region, layout.SizeofHeader+flight.Size)
	binary.NativeEndian.PutUint64(region[layout.HeaderFlight:], layout.SizeofHeader)
	binary.NativeEndian.PutUint64(region[layout.HeaderFlightSize:], uint64(flight.Size))
	noted := time.Unix(20, 0)
	recorder := flight.Start(flight.New(region[layout.SizeofHeader:]), flight.Sources{Heap: func() stack.Profile { return stack.Profile{Time: noted} }}, func(err error) { t.Error(err) })
	recorder.NoteHeap()
	recorder.Stop()
	for _, c := range []struct {
		living bool
		time   time.Time
		want   bool
	}{{true, noted, true}, {true, noted.Add(-1), false}, {false, noted.Add(-1), true}} {
		r := &Recording{Living: c.living, Time: c.time, region: region}
		if heap := r.goHeap(View{View: report.InUse}); (heap != nil) != c.want {
			t.Errorf("living: %v, as of %v: %+v", c.living, c.time, heap)
		}
	}
}
