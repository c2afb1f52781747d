package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

const oomLimit = 160 << 20

// oomed is a service that leaks, in a control group, until the kernel kills it.
type oomed struct {
	*exec.Cmd
	group    group
	box, url string
	lines    *bufio.Reader // of what it logs
	log      strings.Builder
	logged   chan struct{} // closed when the log has ended
	answered int64         // bytes of the thumbnails that it has answered, each of which it keeps
	last     int64         // bytes of the last
}

// The kernel kills a service that leaks through SQLite and C++. Its black box has who leaks, and how much.
func TestTheBlackBoxOfAServiceThatTheKernelKillsForItsMemory(t *testing.T) {
	if os.Getenv("CGOHEAP_OOM") == "" {
		t.Skip("make oom runs it") // how long the kernel reads pages again before it kills depends on the machine's disk and swap
	}
	if toolchain.Target(t).Emulated() {
		t.Skip("an emulator's own memory would count")
	}
	group, dir := memoryGroup(t), toolchain.Memory(t)
	if err := group.setLimit(oomLimit); err != nil {
		t.Fatal(err)
	}
	s := startLeaky(t, group, dir)
	go s.logRest()
	s.leak(t)
	s.awaitKill(t)
	s.logCharge(t)
	s.check(t, recoveredAtStart(t, group, dir))
}

// startLeaky starts the example in a group, with its black box in a directory, and waits until it serves.
func startLeaky(t *testing.T, group group, dir string) *oomed {
	t.Helper()
	leaky := made(t, "leaky", nil, "go", "build", "-C", "../examples/leaky", ".")
	s := &oomed{group: group, box: dir, logged: make(chan struct{})}
	s.Cmd = s.group.command(leaky, "-listen", "127.0.0.1:0", "-sample-bytes", "16384")
	s.Env = append(os.Environ(), "CGOHEAP_BLACKBOX="+dir, "GOMEMLIMIT=off", "GOTRACEBACK=single")
	log, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before the group is removed
		_ = s.Process.Kill()
		_, _ = s.Process.Wait()
	})
	s.lines = bufio.NewReader(log)
	s.url = "http://" + s.awaitLogged(t, "address")
	return s
}

// awaitLogged reads the log until it has a value, and returns that.
func (s *oomed) awaitLogged(t *testing.T, key string) string {
	t.Helper()
	value := regexp.MustCompile(` ` + key + `=(\S+)\n`)
	for {
		if found := value.FindStringSubmatch(s.log.String()); found != nil {
			return found[1]
		}
		line, err := s.lines.ReadString('\n')
		if s.log.WriteString(line); err != nil {
			t.Fatal(err, s.log.String())
		}
	}
}

// logRest reads the log to its end.
func (s *oomed) logRest() {
	defer close(s.logged)
	_, _ = io.Copy(&s.log, s.lines)
}

// leak asks for reports and thumbnails until nobody answers. Near the limit it asks for thumbnails only, which are large: where little is asked for at a
// time, the kernel drops pages of files and reads them again, for minutes, before it kills.
func (s *oomed) leak(t *testing.T) {
	t.Helper()
	for i := 0; i < 1_000_000; i++ {
		if i%100 > 0 && s.used() < oomLimit*8/10 {
			if _, err := s.ask(fmt.Sprintf("/report?customer=%d&after=%d", 1+i%50, i)); err != nil {
				return
			}
			continue
		}
		body, err := s.ask(fmt.Sprintf("/thumbnail?photo=%d&width=1024&visit=%d", i/100%8, i))
		if err != nil {
			return
		}
		s.last = max(s.last, body)
		s.answered += body
	}
	t.Fatal("the service is not killed")
}

func (s *oomed) used() int64 {
	text, _ := os.ReadFile(filepath.Join(s.group.dir, s.group.used))
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

func (s *oomed) ask(path string) (body int64, err error) {
	client := http.Client{Timeout: 10 * time.Minute}
	answer, err := client.Get(s.url + path)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if body, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, answer.Status)
	}
	return body, err
}

// awaitKill waits for the end, which must be the kernel's doing.
func (s *oomed) awaitKill(t *testing.T) {
	t.Helper()
	<-s.logged
	err := s.Wait()
	status, ok := s.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("it ended otherwise: %v\n%s", err, s.log.String())
	}
	events, _ := os.ReadFile(filepath.Join(s.group.dir, "memory.events"))
	if v1, err := os.ReadFile(filepath.Join(s.group.dir, "memory.oom_control")); err == nil {
		events = v1
	}
	if !regexp.MustCompile(`(?m)^oom_kill [1-9]`).Match(events) {
		t.Fatalf("the kernel has not killed it for its memory: %s", events)
	}
}

// logCharge reports what of the dead service's files still counts against the limit.
func (s *oomed) logCharge(t *testing.T) {
	t.Helper()
	used, _ := os.ReadFile(filepath.Join(s.group.dir, s.group.used))
	stat, _ := os.ReadFile(filepath.Join(s.group.dir, "memory.stat"))
	lines := regexp.MustCompile(`(?m)^(cache|rss|shmem|dirty|anon|file|file_dirty) \d+$`).FindAllString(string(stat), -1)
	boxes, _ := filepath.Glob(filepath.Join(s.box, "*.box"))
	for _, path := range boxes {
		var info syscall.Stat_t
		if err := syscall.Stat(path, &info); err != nil {
			t.Fatal(err)
		}
		t.Logf("the box has %d KiB of %d KiB; the group, in which nobody is left, uses %s bytes: %q", info.Blocks/2, info.Size>>10, strings.TrimSpace(string(used)), lines)
	}
}

// recoveredAtStart returns the only profile that the next start of the service writes, whose log says how the one before ended and who held its
// memory.
func recoveredAtStart(t *testing.T, group group, dir string) *profile.Profile {
	t.Helper()
	next := startLeaky(t, group, dir)
	begin := time.Now()
	path := next.awaitLogged(t, "profile")
	t.Logf("%s after %v", path, time.Since(begin))
	_ = next.Process.Kill()
	next.logRest()
	_ = next.Wait()
	log := next.log.String()
	t.Log(log)
	for _, want := range []string{
		"the kernel killed it because its control group was out of memory (1 kill in the group since its last second)",
		"(the control group used ",
		"are held by raster_cache_thumbnail, called from main.(*service).handleThumbnail",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if paths, err := filepath.Glob(filepath.Join(dir, "leaky.*.cgoheap.pb.gz")); err != nil || !slices.Equal(paths, []string{path}) {
		t.Errorf("%q are written, %v, and %s is logged", paths, err, path)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	native := slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool { return slices.Contains(s.Label["heap"], "go") })
	if len(native) == len(p.Sample) {
		t.Error("Go's own heap is not in it")
	}
	p.Sample = native
	return p
}

// check compares the profile with what is known: the two handlers that leak hold nearly all, through the functions that allocate for them,
// and thumbnails hold what was answered.
func (s *oomed) check(t *testing.T, p *profile.Profile) {
	t.Helper()
	held, all := map[string]int64{}, int64(0)
	for _, sample := range p.Sample {
		bytes := sample.Value[3]
		all += bytes
		stack := functions(sample)
		for handler, callee := range map[string]string{"handleThumbnail": "raster_cache_thumbnail", "handleReport": "sqlite3RunParser"} {
			if slices.ContainsFunc(stack, func(f string) bool { return strings.HasSuffix(f, "."+handler) }) {
				held[handler] += bytes
				if slices.Contains(stack, callee) {
					held[callee] += bytes
				}
			}
		}
	}
	t.Logf("%d MiB in use of a limit of %d MiB: %v; thumbnails of %d bytes were answered", all>>20, oomLimit>>20, held, s.answered)
	if rest := all - held["handleThumbnail"] - held["handleReport"]; rest > all/10 {
		t.Errorf("%d bytes of %d are not the guilty ones'", rest, all)
	}
	if held["sqlite3RunParser"] < held["handleReport"]*8/10 || held["handleReport"] < all/10 || held["raster_cache_thumbnail"] != held["handleThumbnail"] {
		t.Error("they do not hold what they hold through those that allocate for them")
	}
	if all > oomLimit || all < oomLimit/2 {
		t.Errorf("%d bytes in use are not most of the %d that the kernel allowed", all, oomLimit)
	}
	if least, most := s.answered*97/100, (s.answered+s.last)*103/100; held["handleThumbnail"] < least || held["handleThumbnail"] > most {
		t.Errorf("thumbnails hold %d bytes, and it must be from %s to %s", held["handleThumbnail"], strconv.FormatInt(least, 10), strconv.FormatInt(most, 10))
	}
}

func functions(s *profile.Sample) (list []string) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			list = append(list, line.Function.Name)
		}
	}
	return list
}
