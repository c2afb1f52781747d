package blackbox

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// About describes the process that a file is of.
type About struct {
	Program   string // the path of the executable
	Arguments []string
	Host      string
	Process   int    // its number in its own namespace
	Boot      string // the kernel's boot_id; "" if unknown
	Go        string
	Build     string // of the program's main module: its path and version
	Started   time.Time
	Config    map[string]any // the profiler's configuration
	KillsFile string         // where the kernel counts whom it kills for memory; see usage.Kernel.Kills

	KillsGroup uint64 // identifies the control group of that file

	Files []LoadedFile `json:",omitempty"` // those without a build ID
}

// LoadedFile is a file without a build ID as it was when the program began.
type LoadedFile struct {
	Path          string
	Device, Inode uint64
	Size          int64
	Modified      int64 // nanoseconds since the epoch
}

// Here describes this process.
func Here(config map[string]any) About {
	a := About{Arguments: os.Args, Process: os.Getpid(), Go: runtime.Version(), Started: time.Now(), Config: config}
	a.Program, _ = os.Executable()
	a.Host, _ = os.Hostname()
	a.Boot = Boot()
	if info, ok := debug.ReadBuildInfo(); ok {
		a.Build = strings.TrimSpace(info.Main.Path + " " + info.Main.Version)
	}
	return a
}

// Boot identifies the time since the machine was started: the kernel's boot_id; "" if it cannot be read.
func Boot() string {
	text, err := descriptor.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// mostText bounds the text of a description: of a longer list of files the first are kept, and longer arguments are left out.
const mostText = 64 << 10

// Text returns the description as JSON, at most 64 KiB.
func (a About) Text() []byte {
	for {
		text, err := json.Marshal(a)
		if err == nil && len(text) <= mostText {
			return text
		}
		switch {
		case len(a.Files) > 0:
			a.Files = a.Files[:len(a.Files)/2]
		case len(a.Arguments) > 0:
			a.Arguments = nil
		default:
			return nil
		}
	}
}

// Read reads a description; false if there is none.
func Read(text []byte) (a About, ok bool) {
	if len(text) > mostText {
		return About{}, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	return a, d.Decode(&a) == nil
}

// The parts of a file's name: cgoheap.PROGRAM.HOST.PID.TIME.box.
const (
	prefix = "cgoheap."
	suffix = ".box"
)

// IsName reports whether a file's name, without its folder, is one of Create's.
func IsName(name string) bool {
	return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix)
}

// File is a file of this process, mapped.
type File struct {
	Pages         unsafe.Pointer
	Path          string
	Device, Inode uint64
}

// Options of Open.
type Options struct {
	// AnyUsers opens files of other users too: for a command that an administrator runs.
	AnyUsers bool

	// Within is how long it tries before it returns ErrAlive. The kernel may release the file of a process, and with it the lock, some
	// milliseconds after the process could be waited for, for example if the OOM killer still has its memory.
	Within time.Duration
}
