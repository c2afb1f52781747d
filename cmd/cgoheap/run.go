package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/preload"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

const (
	defaultSample = 512 << 10
	mostSample    = 1 << 40

	tableBytes      = 256 << 20 // as Config.TableBytes
	exactTableBytes = 1 << 30   // where every block has an entry
)

// running is what the flags of run say.
type running struct {
	shared
	sample          int64
	exact, asJSON   bool
	settle, live    bool
	device          bool
	file, report    string
	children        string
	tables, library string
	goCode          string // of the program, for the library
}

func prepareRun(flags *flag.FlagSet) action {
	r := running{sample: defaultSample}
	flags.Func("sample", "mean `bytes` between samples, as 64KiB or 65536 (default 512KiB)", func(text string) (err error) {
		r.sample, err = report.ParseBytes(text)
		return err
	})
	flags.BoolVar(&r.exact, "exact", false, "record every allocation: every sum is exact, and the program is slower")
	flags.StringVar(&r.file, "o", "", "the `file` to write (default cgoheap.PID.pb.gz; of another view than inuse, cgoheap.PID.VIEW.pb.gz)")
	flags.StringVar(&r.report, "report", "", "also write the profile and the summary as one HTML `file`, as cgoheap report does")
	flags.BoolVar(&r.asJSON, "json", false, "print the summary as a JSON object, in a line of its own, which is the last of standard error")
	flags.StringVar(&r.children, "children", "none", "the `names` of programs, with commas between them, that are recorded when the program starts "+
		"them, and when they fork; all, or none")
	flags.BoolVar(&r.settle, "settle", false, "have a thread in the program settle its tables each second, so that cgoheap top, view, dump and diff read "+
		"its box while it runs; the program can notice that it has another thread")
	flags.BoolVar(&r.live, "live", false, "on a terminal: show at its bottom what cgoheap top shows, while the program runs above; with -settle")
	flags.BoolVar(&r.device, "device", false, "record the program's memory on CUDA's devices, too, all of it, with a profile of its own, FILE.device.pb.gz; "+
		"-view device implies it")
	flags.StringVar(&r.tables, "tables", "", "the `directory` for the tables, in memory (default below /dev/shm)")
	flags.StringVar(&r.library, "library", "", "the `file` of libcgoheap.so, from a machine that has made it (default: it is made by the C compiler, once)")
	r.add(flags)
	return func(s *streams, names []string) (int, error) {
		if err := r.check(flags, names); err != nil {
			return exitUnreadable, err
		}
		return r.run(s, names)
	}
}

// check comes after the flags were parsed.
func (r *running) check(flags *flag.FlagSet, names []string) error {
	if len(names) == 0 {
		return errors.New("a program is needed")
	}
	sampled := false
	flags.Visit(func(f *flag.Flag) { sampled = sampled || f.Name == "sample" })
	switch {
	case r.exact && sampled:
		return errors.New("-exact and -sample exclude each other")
	case r.sample < 1 || r.sample > mostSample:
		return fmt.Errorf("-sample is %d: it must be 1 to %d bytes", r.sample, int64(mostSample))
	case r.file == "-":
		return errors.New("-o -: standard output is the program's; name a file")
	case len(strings.Fields(r.children)) != 1 || len(r.children) > 1000:
		return errors.New("-children must be none, all, or names of programs with commas between them, and no spaces")
	}
	if r.exact {
		r.sample = 1
	}
	if err := r.checkGone(); err != nil {
		return err
	}
	r.device = r.device || r.name == report.Device.Name
	return r.checkFile()
}

// checkFile returns an error if the profile could not be written: when the program has ended it is too late to learn that.
func (r *running) checkFile() error {
	for _, file := range []string{r.file, deviceFile(r.file)} {
		if r.file != "" && (file == r.file || r.device && r.name != report.Device.Name) && exists(file) {
			return fmt.Errorf("%s is there already: remove it, or name another with -o", file)
		}
	}
	if r.report != "" && exists(r.report) {
		return fmt.Errorf("%s is there already: remove it, or name another with -report", r.report)
	}
	f, err := os.CreateTemp(filepath.Dir(r.file), ".cgoheap-*.tmp")
	if err != nil {
		return fmt.Errorf("the profile cannot be written: %w: name a file elsewhere with -o", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// find returns the program's path, and that of the library for it.
func (r *running) find(s *streams, name string) (program, library string, err error) {
	if program, err = preload.FindProgram(name); err != nil {
		return "", "", err
	}
	about, err := preload.Inspect(program)
	if err != nil {
		return "", "", err
	}
	r.goCode, about.Devices = about.Go, r.device
	if r.library != "" {
		library, err = preload.Given(r.library, about.Target)
		return program, library, err
	}
	library, err = preload.Library(about.Target, func(what string, do func() error) error { return terminal.Progress(s.progress, what, do) })
	return program, library, err
}

// fileOf returns the path of the profile of a process. Those of children lie beside the program's.
func (r *running) fileOf(pid int, child bool) string {
	kind := ""
	if r.name != report.InUse.Name {
		kind = "." + r.name
	}
	switch {
	case r.file == "":
		return fmt.Sprintf("cgoheap.%d%s.pb.gz", pid, kind)
	case child:
		return fmt.Sprintf("%s.%d.pb.gz", strings.TrimSuffix(r.file, ".pb.gz"), pid)
	}
	return r.file
}

// environment returns that of the program: it, with the library before others that are preloaded, because the first malloc is the one
// that the program calls. AddressSanitizer would end a child that was compiled with it, because it is not the first library.
func (r *running) environment(library, boxes string, segment *blackbox.Segment) (list []string) {
	libraries, sanitizer, tables := library, "verify_asan_link_order=0", tableBytes
	if r.sample == 1 {
		tables = exactTableBytes
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "LD_PRELOAD" && value != "":
			libraries += ":" + value
		case name == "ASAN_OPTIONS" && value != "":
			sanitizer = value + ":" + sanitizer
		case name != "LD_PRELOAD" && name != "ASAN_OPTIONS" && name != preload.Variable:
			list = append(list, variable)
		}
	}
	settings := preload.Settings{Parent: os.Getpid(), SampleBytes: r.sample, TableBytes: int64(tables), Segment: segment, Settle: r.settle, Children: r.children,
		Go: r.goCode, Boxes: boxes}
	return append(list, "LD_PRELOAD="+libraries, "ASAN_OPTIONS="+sanitizer, preload.Variable+"="+settings.String())
}

// take writes the profile of a recording, and sums it up. If the file is there, it takes the next name that is free: process numbers
// repeat where a container shares a folder with others.
func (r *running) take(from *remote.Recording, file string) (*summary, error) {
	for n := 1; ; n++ {
		sum := &summary{Program: from.Program, File: numbered(file, n), SampleBytes: r.sample, Lost: from.Lost()}
		err := sum.read(from, r, sum.File)
		if err == nil {
			return sum, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// deviceFile returns the path of the profile of devices that lies beside another.
func deviceFile(file string) string { return strings.TrimSuffix(file, ".pb.gz") + ".device.pb.gz" }

// numbered returns the nth name of a file: cgoheap.8.pb.gz, cgoheap.8-2.pb.gz and so on.
func numbered(file string, n int) string {
	if n == 1 {
		return file
	}
	ending := ".pb.gz"
	if strings.HasSuffix(file, ".html") {
		ending = ".html"
	}
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, ending), n, ending)
}

// newNumbered makes a file as newFile does, under the first of its numbered names that is free, and returns that.
func newNumbered(file string, write func(io.Writer) error) (path string, err error) {
	for n := 1; ; n++ {
		path = numbered(file, n)
		if err = newFile(path, write); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}
