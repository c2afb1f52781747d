//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package preload

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// recordInSegment is record for tables in a segment. A string of the variable is replaced by another, if it is not "".
func recordInSegment(t *testing.T, segment *blackbox.Segment, replaced, by string, c *exec.Cmd) recorded {
	t.Helper()
	dir := toolchain.Memory(t)
	s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 256 << 20, Segment: segment, Children: "all", Boxes: dir}
	variable := s.String()
	if replaced != "" {
		variable = strings.Replace(variable, replaced, by, 1)
	}
	c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), Variable+"="+variable)
	r := ran(t, dir, c)
	if pid, _ := segment.Begun(); pid == c.Process.Pid {
		r.memory = must[*remote.Recording](t)(remote.ReadMemory(segment.Memory()))
	}
	return r
}

func newSegment(t *testing.T) *blackbox.Segment {
	t.Helper()
	s, err := blackbox.NewSegment(256 << 20)
	toolchain.NeedsSegment(t, err)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Its children have boxes, and so have those that it forks.
func TestTheTablesOfTheProgramLieInASegment(t *testing.T) {
	for boxes, all := range map[int][][]string{
		0:  {{"each"}, {"threads", "each", "kill"}, {"each", "exec"}},
		1:  {{"each", "fork"}},
		20: {{"each", "fork-hurried"}},
	} {
		for _, arguments := range all {
			segment := newSegment(t)
			r := recordInSegment(t, segment, "", "", exec.Command(built(t, "gcc", "sums.c"), arguments...))
			if r.memory == nil || len(r.boxes) != boxes || segment.Attached() {
				t.Fatalf("%v: %+v", arguments, r)
			}
			compare(t, r)
		}
	}
}

// Another namespace has other segments under the same numbers.
func TestASegmentThatIsNotTheCommandsIsLeftAlone(t *testing.T) {
	for _, c := range [][2]string{{":", ":1"}, {"segment=", "segment=7"}, {"tables=268435456", "tables=536870912"}} {
		segment := newSegment(t)
		r := recordInSegment(t, segment, c[0], c[1], exec.Command(built(t, "gcc", "sums.c"), "each", "kill"))
		if r.memory != nil || len(r.boxes) != 1 {
			t.Errorf("%q: %+v", c, r)
		}
		compare(t, r)
	}
}

// Whoever reads a living process finds them, too.
func TestASegmentOfALivingProcess(t *testing.T) {
	s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 256 << 20, Segment: newSegment(t), Children: none, Boxes: toolchain.Memory(t)}
	c := exec.Command(built(t, "gcc", "sums.c"), "threads", "wait")
	c.Env = append(os.Environ(), "LD_PRELOAD="+library(t, here), Variable+"="+s.String())
	in, out := must[io.WriteCloser](t)(c.StdinPipe()), must[io.ReadCloser](t)(c.StdoutPipe())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !s.Segment.Attached() {
		t.Fatal(err)
	}
	r := must[*remote.Recording](t)(remote.Read(c.Process.Pid))
	defer r.Close()
	if found, want := sumsIn(profileOf(t, r)), counted(t, string(line[:n]))[c.Process.Pid]; found != want {
		t.Errorf("recorded: %v, counted by the program: %v", found, want)
	}
	if err := errors.Join(in.Close(), c.Wait()); c.ProcessState.ExitCode() != 3 {
		t.Error(err)
	}
}

// A filter may end who attaches a segment.
func TestAProgramUnderAFilterHasAFile(t *testing.T) {
	sums := built(t, "gcc", "sums.c")
	r := recordInSegment(t, newSegment(t), "", "", exec.Command(built(t, "gcc", "filtered.c"), sums, "each", "kill"))
	if r.memory == nil || len(r.boxes) != 1 {
		t.Fatalf("%+v", r)
	}
	r.memory = nil // of the program before
	compare(t, r)
}
