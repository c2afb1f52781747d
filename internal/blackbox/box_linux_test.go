package blackbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func made(t *testing.T, dir string) *Box {
	t.Helper()
	b, err := Create(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAFileIsSparseAndItsOwnersAlone(t *testing.T) {
	b := made(t, toolchain.Memory(t))
	defer b.Remove()
	var s unix.Stat_t
	if err := unix.Stat(b.Path(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Size != 1<<20 || s.Blocks != 0 || s.Mode&0o777 != 0o600 {
		t.Errorf("%+v", s)
	}
	if slices.Contains(toolchain.OpenFiles(t), b.Path()) {
		t.Errorf("%s is open", b.Path())
	}
}

func TestADirectoryThatTakesNoFile(t *testing.T) {
	file := filepath.Join(toolchain.Memory(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(toolchain.Memory(t), "none"), file, "/proc/self"} {
		if b, err := Create(dir, 1<<20); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %+v, %v", dir, b, err)
		}
	}
}

func TestAFileIsLockedAsLongAsItsProcessLives(t *testing.T) {
	const variable = "CGOHEAP_TEST_BOX"
	if dir := os.Getenv(variable); dir != "" {
		made(t, dir)
		os.Stdout.WriteString("made\n")
		select {}
	}
	dir := toolchain.Memory(t)
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), variable+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	if n, err := out.Read(make([]byte, 5)); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	names, err := Names(dir)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if f, err := Open(names[0], Options{}); !errors.Is(err, ErrAlive) {
		t.Errorf("%v, %v, though its process runs", f, err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	f, err := Open(names[0], Options{Within: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// Threads that allocate would wait for a disk. It is not touched: nothing ends a wait for one that is frozen.
func TestADirectoryOnADiskIsRefused(t *testing.T) {
	if b, err := Create("/proc/self", 1<<20); !errors.Is(err, errDisk) {
		t.Errorf("%+v, %v", b, err)
	}
	disk := toolchain.FrozenDisk(t)
	if b, err := Create(disk, 1<<20); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "type 0xef53") {
		t.Errorf("%+v, %v", b, err)
	}
}

// What a program writes to a number that it has closed must not be written to the file.
func TestAProgramWithoutStandardError(t *testing.T) {
	const variable = "CGOHEAP_TEST_CLOSED"
	dir := os.Getenv(variable)
	if dir == "" {
		dir = toolchain.Memory(t)
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), variable+"="+dir)
		if out, err := c.Output(); err != nil {
			t.Error(err, string(out))
		}
		return
	}
	if _, _, err := os.Pipe(); err != nil { // the runtime's own descriptors are open from then on
		t.Fatal(err)
	}
	for _, number := range []int{0, 2} {
		if err := unix.Close(number); err != nil {
			t.Fatal(err)
		}
	}
	b := made(t, dir)
	for _, number := range []int{0, 2} {
		if n, err := unix.Write(number, []byte("libfoo: warning")); !errors.Is(err, unix.EBADF) {
			t.Errorf("%d: %d, %v", number, n, err)
		}
	}
	text, err := os.ReadFile(b.Path())
	if err != nil || len(text) != 1<<20 || strings.Trim(string(text), "\x00") != "" {
		t.Error(len(text), err)
	}
	if err := b.Remove(); err != nil {
		t.Error(err)
	}
}

// Few descriptors are left.
func TestAProcessWithALimitOfFewDescriptors(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = 16
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	b, err := Create(toolchain.Memory(t), 1<<20)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(); err != nil {
		t.Error(err)
	}
}

// A process that has changed its user may not be allowed to remove its file.
func TestAFileThatCannotBeRemovedIsEmpty(t *testing.T) {
	const variable = "CGOHEAP_TEST_STAYS"
	if dir := os.Getenv(variable); dir != "" {
		b := made(t, dir)
		pages := unsafe.Slice((*byte)(b.Take().Pages), 1<<20)
		for i := range pages {
			pages[i] = 1
		}
		if err := errors.Join(unix.MunmapPtr(unsafe.Pointer(&pages[0]), 1<<20), os.Chmod(dir, 0o500)); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			if err := unix.Setuid(65534); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Remove(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v, want that it may not", err)
		}
		return
	}
	dir := toolchain.Memory(t)
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), variable+"="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Error(err, string(out))
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	names, err := Names(dir)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	var s unix.Stat_t
	if err := unix.Stat(names[0], &s); err != nil || s.Size != 1<<20 || s.Blocks != 0 {
		t.Errorf("%d bytes, %d blocks, %v", s.Size, s.Blocks, err)
	}
}

// As after chroot, the path leads nowhere.
func TestAFileThatIsNotFoundIsEmpty(t *testing.T) {
	dir := filepath.Join(toolchain.Memory(t), "before")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b := made(t, dir)
	pages := unsafe.Slice((*byte)(b.Take().Pages), 1<<20)
	pages[0], pages[len(pages)-1] = 1, 1
	if err := errors.Join(unix.MunmapPtr(unsafe.Pointer(&pages[0]), 1<<20), os.Rename(dir, dir+"later")); err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(); err != nil {
		t.Error(err)
	}
	var s unix.Stat_t
	if err := unix.Stat(filepath.Join(dir+"later", filepath.Base(b.Path())), &s); err != nil || s.Blocks != 0 {
		t.Errorf("%d blocks, %v", s.Blocks, err)
	}
}

func TestAFileThatIsReleasedIsTheNextOnes(t *testing.T) {
	path := filepath.Join(toolchain.Memory(t), "cgoheap.host.1.a.box")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if f, err := Open(path, Options{}); !errors.Is(err, ErrAlive) {
		t.Errorf("%v, %v", f, err)
	}
	if err := Release(first); err != nil {
		t.Fatal(err)
	}
	second, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// In a host that is not Go's, SIGXFSZ ends the process.
func TestAProcessWhoseFilesMayNotBeLarge(t *testing.T) {
	const variable = "CGOHEAP_TEST_SMALL"
	dir := os.Getenv(variable)
	if dir == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), variable+"="+toolchain.Memory(t))
		if out, err := c.CombinedOutput(); err != nil {
			t.Error(err, string(out))
		}
		return
	}
	var action [4]uint64
	_, _, _ = unix.Syscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGXFSZ), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1<<20 - 1, Max: 1<<20 - 1}); err != nil {
		t.Fatal(err)
	}
	if b, err := Create(dir, 1<<20); !errors.Is(err, unix.EFBIG) {
		t.Errorf("%+v, %v", b, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Error(names, err)
	}
}

// Another process opens all files, over and over, and so has the lock of one that was just made, and removes it.
func TestAFileIsMadeWhileOthersRecover(t *testing.T) {
	const variable = "CGOHEAP_TEST_RECOVERS"
	if dir := os.Getenv(variable); dir != "" {
		os.Stdout.WriteString("began\n")
		for {
			names, _ := Names(dir)
			for _, name := range names {
				if f, err := Open(name, Options{}); err == nil {
					_ = os.Remove(name) // there is nothing in it
					f.Close()
				}
			}
		}
	}
	dir := toolchain.Memory(t)
	for range 2 {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), variable+"="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		}()
		if n, err := out.Read(make([]byte, 6)); n != 6 || err != nil {
			t.Fatal(n, err)
		}
	}
	for range 2000 {
		b := made(t, dir)
		if _, err := os.Lstat(b.Path()); err != nil {
			t.Fatal("somebody removed it: ", err)
		}
		if err := b.Remove(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnesOwnFileIsNotOpened(t *testing.T) {
	dir := toolchain.Memory(t)
	b := made(t, dir)
	defer b.Remove()
	if f, err := Open(b.Path(), Options{}); !errors.Is(err, ErrAlive) {
		t.Errorf("%v, %v", f, err)
	}
}

func TestWhatIsNotAFileOfOurs(t *testing.T) {
	dir := toolchain.Memory(t)
	b := made(t, toolchain.Memory(t))
	defer b.Remove()
	link, fifo, folder := filepath.Join(dir, "cgoheap.link.1.a.box"), filepath.Join(dir, "cgoheap.fifo.1.a.box"), filepath.Join(dir, "cgoheap.dir.1.a.box")
	for _, err := range []error{os.Symlink(b.Path(), link), unix.Mkfifo(fifo, 0o600), os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(dir, "other"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	names, err := Names(dir)
	if err != nil || len(names) != 3 {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range names {
		if f, err := Open(name, Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	others := filepath.Join(dir, "cgoheap.others.1.a.box")
	if err := errors.Join(os.WriteFile(others, nil, 0o600), os.Chown(others, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(others, Options{}); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("%v, %v", f, err)
	}
	f, err := Open(others, Options{AnyUsers: true})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, name := range names {
		if f, err := Open(name, Options{AnyUsers: true}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// Two may open a file before one of them has its lock, recovers it and removes it.
func TestAFileThatSomebodyHasRecoveredIsNotOpened(t *testing.T) {
	path := filepath.Join(toolchain.Memory(t), "cgoheap.host.1.a.box")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := checked(file, before, false); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := checked(file, before, false); err == nil || !strings.Contains(err.Error(), "removed meanwhile") {
		t.Error(err)
	}
}

func TestRemoveLeavesAnothersFile(t *testing.T) {
	b := made(t, toolchain.Memory(t))
	if err := errors.Join(os.Remove(b.Path()), os.WriteFile(b.Path(), []byte("another"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(b.Path()); string(text) != "another" {
		t.Error(text, err)
	}
	b = made(t, toolchain.Memory(t))
	if err := errors.Join(os.Remove(b.Path()), b.Remove()); err != nil {
		t.Error(err)
	}
}

func TestDescriptions(t *testing.T) {
	a := Here(map[string]any{"SampleBytes": 1.0})
	got, ok := Read(a.Text())
	if !ok || got.Program == "" || got.Process != os.Getpid() || got.Config["SampleBytes"] != 1.0 || len(got.Arguments) != len(os.Args) {
		t.Errorf("%+v", got)
	}
	a.Arguments = []string{strings.Repeat("x", mostText)}
	if got, ok = Read(a.Text()); !ok || len(got.Arguments) != 0 || got.Program != a.Program {
		t.Errorf("with long arguments: %+v", got)
	}
	a.Files = make([]LoadedFile, mostText/20)
	if got, ok = Read(a.Text()); !ok || len(got.Files) != 0 || len(got.Arguments) != 0 || got.Program != a.Program {
		t.Errorf("with many files and long arguments: %+v", got)
	}
	a.Arguments = []string{"x"}
	if got, ok = Read(a.Text()); !ok || len(got.Files) == 0 || len(got.Arguments) != 1 {
		t.Errorf("with many files: %d of them, arguments %q", len(got.Files), got.Arguments)
	}
	for _, text := range []string{"", "{", strings.Repeat(" ", mostText) + "{}"} {
		if got, ok := Read([]byte(text)); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// Whoever may read a file needs no more to look at it, and locks nothing.
func TestAFileIsLookedAtByWhoeverMayReadIt(t *testing.T) {
	const variable = "CGOHEAP_TEST_LOOKS"
	if paths := strings.Split(os.Getenv(variable), ":"); len(paths) == 3 {
		for i, living := range []bool{true, false} {
			file, lives, err := Look(paths[i], 0)
			if err != nil || lives != living {
				t.Errorf("%s: %v, %v", paths[i], lives, err)
			}
			defer file.Close()
		}
		if file, _, err := Look(paths[2], 0); os.Geteuid() != 0 && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v, %v", file, err)
		}
		return
	}
	dir := toolchain.Memory(t)
	b := made(t, dir)
	defer b.Remove()
	gone, closed, link, fifo := filepath.Join(dir, "gone.box"), filepath.Join(dir, "closed.box"), filepath.Join(dir, "link.box"), filepath.Join(dir, "fifo.box")
	for _, err := range []error{os.WriteFile(gone, nil, 0o400), os.WriteFile(closed, nil, 0o600), os.Symlink(b.Path(), link), unix.Mkfifo(fifo, 0o600),
		os.Chmod(gone, 0o444), os.Chmod(b.Path(), 0o444), os.Chmod(dir, 0o755)} { //nolint:gosec // others are to read them
		if err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	c.Env = []string{variable + "=" + strings.Join([]string{link, gone, closed}, ":")}
	if os.Geteuid() == 0 {
		c.SysProcAttr = &unix.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, path := range []string{dir, fifo} {
		if file, _, err := Look(path, 0); err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
			t.Errorf("%s: %v, %v", path, file, err)
		}
	}
	if f, err := Open(gone, Options{}); err != nil { // nobody has locked it
		t.Error(err)
	} else {
		f.Close()
	}
}
