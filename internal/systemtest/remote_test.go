//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/symbolize"
)

// remoteViews are what is compared. Of ages only the sum is: blocks grow older from one profile to the next.
var remoteViews = []struct {
	own     cgoheap.View
	outside remote.View
}{
	{cgoheap.ViewInUse(), remote.View{View: report.InUse}},
	{cgoheap.ViewPeak(), remote.View{View: report.Peak}},
	{cgoheap.ViewShortLived(time.Second), remote.View{View: report.ShortLived, Within: 2}},
	{cgoheap.ViewAge(0), remote.View{View: report.Age}},
}

const recordedKind, boxOfRecorded = "CGOHEAP_TEST_RECORDED", "CGOHEAP_TEST_BOX"

// A process that is stopped is read from outside, and its core file, after it did something of which it has not written a profile itself. Then it
// writes its own. All are equal, sample for sample: each value, name, address, line and label.
func TestAStoppedProcessIsReadFromOutside(t *testing.T) {
	for _, sampleBytes := range []string{"1", "4096"} {
		t.Run(sampleBytes, func(t *testing.T) {
			c := begin(t, sampleBytes)
			c.compare(t)
		})
	}
}

// compare fails if the profiles from outside and from inside differ.
func (c *recorded) compare(t *testing.T) {
	t.Helper()
	c.say(t, "work")
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.await(t, 'T')
	read, err := remote.Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	core := filepath.Join(t.TempDir(), "core")
	writeCore(t, core, c.Process.Pid)
	if s := c.state(t); s != 'T' {
		t.Errorf("the stopped process is in state %c", s)
	}
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	own := c.own(t)
	dead, err := remote.ReadCore(core)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range remoteViews {
		fromCore := samples(profiletest.Read(t, func(w io.Writer) error { return dead.Write(w, v.outside, symbolize.New(symbolize.Options{})) }))
		if fromCore != own[i] {
			t.Errorf("%v: from a core file\n%s\nfrom inside\n%s\n", v.own, fromCore, own[i])
		}
		p := profiletest.Read(t, func(w io.Writer) error { return read.Write(w, v.outside, symbolize.New(symbolize.Options{})) })
		outside := samples(p)
		for _, s := range p.Sample {
			if age := slices.Concat(s.NumLabel["age"], []int64{0})[0]; time.Duration(age)*time.Second > time.Since(c.began) {
				t.Errorf("a block is %d seconds old after %v", age, time.Since(c.began))
			}
		}
		if own[i] == "" || !strings.Contains(own[i], "profiletest.Leak") && v.own.String() == "inuse" {
			t.Errorf("%v: the process itself has %q", v.own, own[i])
		}
		if outside != own[i] {
			t.Errorf("%v: from outside\n%s\nfrom inside\n%s\n", v.own, outside, own[i])
		}
	}
}

// A process with a black box is killed. What it left is what it has just written itself; as long as it lived, that could be read from outside,
// too.
func TestAKilledProcessIsReadFromOutside(t *testing.T) {
	dir := toolchain.Memory(t)
	t.Setenv(boxOfRecorded, dir)
	c := begin(t, "1")
	c.say(t, "work")
	own := c.own(t)
	living, err := remote.Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	boxes, err := blackbox.Names(dir)
	if err != nil || len(boxes) != 1 {
		t.Fatal(boxes, err)
	}
	if f, err := blackbox.Open(boxes[0], blackbox.Options{}); !errors.Is(err, blackbox.ErrAlive) {
		t.Errorf("%v, %v, while the process lives", f, err)
	}
	asked := readLiving(t, boxes[0])
	_ = c.Process.Kill()
	_ = c.Wait()
	box, err := blackbox.Open(boxes[0], blackbox.Options{Within: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	dead, err := remote.ReadBox(box)
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	if dead.About.Process != c.Process.Pid || dead.About.Arguments[0] != os.Args[0] || dead.Program == "" || dead.Time.Before(c.began) || dead.Time.After(time.Now()) {
		t.Errorf("%+v at %v", dead.About, dead.Time)
	}
	for i, v := range remoteViews {
		list := map[string]*remote.Recording{"the box": dead, "outside": living}
		if name := v.outside.Name; name == report.InUse.Name || name == report.ShortLived.Name {
			list["the box while it lived"] = asked
		}
		for from, r := range list {
			got := samples(profiletest.Read(t, func(w io.Writer) error { return r.Write(w, v.outside, symbolize.New(symbolize.Options{})) }))
			if got != own[i] {
				t.Errorf("%v: from %s\n%s\nfrom inside\n%s\n", v.own, from, got, own[i])
			}
		}
	}
}

// readLiving reads a box as soon as its process has settled its tables.
func readLiving(t *testing.T, box string) *remote.Recording {
	t.Helper()
	file, lives, err := blackbox.Look(box, 0)
	if err != nil || !lives {
		t.Fatal(lives, err)
	}
	defer file.Close()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		r, err := remote.ReadLiving(file)
		if err == nil {
			t.Cleanup(r.Close)
			return r
		}
		if !errors.Is(err, remote.ErrUnsettled) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A service with a black box settles its tables by itself.
func TestALivingServicesBoxIsRead(t *testing.T) {
	dir := toolchain.Memory(t)
	t.Setenv(boxOfRecorded, dir)
	c := begin(t, "1")
	c.say(t, "work")
	boxes, err := blackbox.Names(dir)
	if err != nil || len(boxes) != 1 {
		t.Fatal(boxes, err)
	}
	r := readLiving(t, boxes[0])
	p := profiletest.Read(t, func(w io.Writer) error {
		return r.Write(w, remote.View{View: report.InUse}, symbolize.New(symbolize.Options{}))
	})
	if !profiletest.HasComment(p, "the black box of a living process, as of "+r.Time.UTC().Format(time.RFC3339)) || r.Time.Before(r.Started()) || r.Time.After(time.Now()) {
		t.Errorf("of %v: %q", r.Time, p.Comments)
	}
}

// A process whose Go runtime waits for ever for one goroutine to stop, as all others have, answers nobody, and is read all the same.
func TestAProcessWhoseWorldIsStoppedIsReadFromOutside(t *testing.T) {
	t.Setenv("GODEBUG", "asyncpreemptoff=1,schedtrace=10,scheddetail=1")
	c := begin(t, "1")
	c.say(t, "work")
	own := c.own(t)
	fmt.Fprintln(c.in, "hang")
	c.awaitHang(t)
	read, err := remote.Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range remoteViews {
		got := samples(profiletest.Read(t, func(w io.Writer) error { return read.Write(w, v.outside, symbolize.New(symbolize.Options{})) }))
		if got != own[i] {
			t.Errorf("%v: from outside\n%s\nfrom inside\n%s\n", v.own, got, own[i])
		}
	}
}

// A process that works is stopped for a moment only, and what is read is of that moment.
func TestAWorkingProcessIsReadFromOutside(t *testing.T) {
	c := begin(t, "1")
	c.say(t, "storm")
	last, names := int64(0), symbolize.New(symbolize.Options{}) // which reads the process's debug data once
	for range 20 {
		read, err := remote.Read(c.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := read.Write(&b, remote.View{View: report.InUse}, names); err != nil {
			t.Fatal(err)
		}
		faults, err := check.Profile(bytes.NewReader(b.Bytes()))
		if err != nil || len(faults) > 0 {
			t.Fatalf("%v %v", err, faults)
		}
		storm := profiletest.Sum(profiletest.Through(profiletest.Parse(t, &b), "stormPair"))
		if storm[0] < last || storm[1] != storm[0]*stormSize || storm[2] < 0 || storm[2] > stormThreads || storm[3] != storm[2]*stormSize {
			t.Fatalf("%d after %d", storm, last)
		}
		last = storm[0]
	}
	if last == 0 {
		t.Error("the process did nothing")
	}
	c.own(t) // it goes on
}

// TestTheProcessThatIsRead is the other process. It does what it reads, line by line.
func TestTheProcessThatIsRead(t *testing.T) {
	kind := os.Getenv(recordedKind)
	if kind == "" {
		return // for a process of its own, which runs this test alone
	}
	sampleBytes, err := strconv.ParseInt(kind, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, cgoheap.Config{SampleBytes: sampleBytes, TableBytes: 64 << 20, GoroutineLabels: true, ThreadNames: true, MaxDepth: 64,
		BlackBox: os.Getenv(boxOfRecorded)})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("done") {
		switch lines.Text() {
		case "storm":
			storm()
			continue
		case "work":
			work(t.Context())
			continue
		case "grow":
			grow()
			continue
		case "hang":
			debug.SetGCPercent(-1)
			runtime.GC() // one that has begun would wait for the goroutine alone; this one waits for its end, and for its own
			var spins atomic.Bool
			go func() {
				spins.Store(true)
				for { //nolint:revive,staticcheck // nothing can stop it
				}
			}()
			for !spins.Load() {
				runtime.Gosched()
			}
			fmt.Println("hangs")
			runtime.GC()
		}
		if path, is := strings.CutPrefix(lines.Text(), "rss "); is {
			writeRSS(t, p, path)
			continue
		}
		for i, v := range remoteViews {
			f, err := os.Create(filepath.Join(lines.Text(), strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Write(f, cgoheap.Selection{View: v.own}); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
}

var peak uintptr = 8 << 20

// work makes a new peak, and changes something before it and after it.
func work(ctx context.Context) {
	slow := victim.Malloc(1 << 20)
	pprof.Do(ctx, pprof.Labels("tenant", "blue"), func(context.Context) { profiletest.Leak(1 << 20) })
	for n := range uintptr(300) {
		profiletest.Leak(n*37 + 1)
		profiletest.Garbage(n)
	}
	peak += 4 << 20
	profiletest.Spike(peak)
	profiletest.Cache(1 << 20)
	time.Sleep(150 * time.Millisecond) // so it counts as freed within a second, and not within 100 ms
	victim.Free(slow)
}

const (
	stormThreads = 3
	stormSize    = 1000
)

//go:noinline
func stormPair() unsafe.Pointer { return victim.Malloc(stormSize) }

func storm() {
	for range stormThreads {
		go func() {
			for {
				victim.Free(stormPair())
			}
		}()
	}
}

// recorded is the process that is read.
type recorded struct {
	*exec.Cmd
	in     io.Writer
	out    *bufio.Scanner
	stderr string // the path of a file
	began  time.Time
}

func begin(t *testing.T, sampleBytes string) *recorded {
	t.Helper()
	c := &recorded{Cmd: exec.Command(os.Args[0], "-test.run", "^TestTheProcessThatIsRead$", "-test.count=1"), began: time.Now()}
	c.Env = append(os.Environ(), recordedKind+"="+sampleBytes)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out, c.stderr = in, bufio.NewScanner(out), filepath.Join(t.TempDir(), "stderr")
	file, err := os.Create(c.stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c.Stderr = file
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// say has the process do something, and waits until it has.
func (c *recorded) say(t *testing.T, line string) {
	t.Helper()
	fmt.Fprintln(c.in, line)
	for c.out.Scan() {
		if c.out.Text() == "done" {
			return
		}
	}
	t.Fatal("the process has ended")
}

// awaitHang waits until a process that was told to hang does, as its Go runtime itself prints with GODEBUG=schedtrace=10,scheddetail=1: it has
// asked all goroutines to stop, of which one never will.
func (c *recorded) awaitHang(t *testing.T) {
	t.Helper()
	read := func() []byte {
		text, err := os.ReadFile(c.stderr)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	hangs := false
	for !hangs && c.out.Scan() {
		hangs = c.out.Text() == "hangs"
	}
	if !hangs {
		t.Fatalf("it has ended: %s", read())
	}
	begin, printed := time.Now(), len(read())
	for !bytes.Contains(read()[printed:], []byte("gcwaiting=true")) {
		if time.Sleep(10 * time.Millisecond); time.Since(begin) > 10*time.Minute {
			t.Fatal("it does not hang")
		}
	}
}

// own returns the samples of the profiles that the process writes itself.
func (c *recorded) own(t *testing.T) (list []string) {
	t.Helper()
	dir := toolchain.Memory(t)
	c.say(t, dir)
	for i := range remoteViews {
		b, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, samples(profiletest.Parse(t, bytes.NewReader(b))))
	}
	return list
}

func (c *recorded) state(t *testing.T) byte {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return text[bytes.LastIndexByte(text, ')')+2]
}

func (c *recorded) await(t *testing.T, state byte) {
	t.Helper()
	for c.state(t) != state {
		time.Sleep(time.Millisecond)
	}
}

// writeCore writes the core file of a process that is stopped, without its files, as core(5) describes it.
func writeCore(t *testing.T, path string, pid int) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	var segments []elf.Prog64
	offset := uint64(1 << 20)
	for line := range strings.Lines(string(maps)) {
		var start, limit uint64
		var perms string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &start, &limit, &perms); err != nil {
			t.Fatal(err)
		}
		p := elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: start, Memsz: limit - start, Off: offset, Flags: uint32(elf.PF_R)}
		if perms == "rw-p" {
			p.Flags |= uint32(elf.PF_W)
			p.Filesz = p.Memsz
			offset += p.Filesz
		}
		segments = append(segments, p)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := elf.Header64{Type: uint16(elf.ET_CORE), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(segments))}
	copy(head.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	if err := errors.Join(binary.Write(f, binary.LittleEndian, head), binary.Write(f, binary.LittleEndian, segments)); err != nil {
		t.Fatal(err)
	}
	page := make([]byte, 64<<10)
	for _, p := range segments {
		for at := uint64(0); at < p.Filesz; at += uint64(len(page)) {
			n, _ := memory.ReadAt(page[:min(uint64(len(page)), p.Filesz-at)], int64(p.Vaddr+at))
			if len(bytes.Trim(page[:n], "\x00")) == 0 {
				continue
			}
			if _, err := f.WriteAt(page[:n], int64(p.Off+at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Truncate(int64(offset)); err != nil {
		t.Fatal(err)
	}
}

// samples returns all that a profile says of its samples, in a fixed order.
func samples(p *profile.Profile) string {
	var list []string
	recorders := profiletest.Through(p, "(*Recorder).tick") // it works each second, in one profile more than in the other
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.Contains(s.Label["heap"], "go") || slices.Contains(recorders, s) || slices.Contains(profiletest.Functions(s), "runtime.newm") // a thread begins
	})
	if slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool { return s.NumLabel["age"] != nil }) {
		return fmt.Sprint("the sum over all ages and all stacks: ", profiletest.Sum(p.Sample))
	}
	for _, s := range p.Sample {
		var b strings.Builder
		delete(s.Label, "heap")
		fmt.Fprint(&b, s.Value, s.Label, s.NumLabel)
		for _, l := range s.Location {
			fmt.Fprintf(&b, "\n  %#x", l.Address)
			if l.Mapping != nil {
				fmt.Fprint(&b, " ", l.Mapping.File, " ", l.Mapping.BuildID)
			}
			for _, line := range l.Line {
				fmt.Fprint(&b, "\n    ", line.Function.Name, " ", line.Function.SystemName, " ", line.Function.Filename, ":", line.Line)
			}
		}
		list = append(list, b.String())
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}
