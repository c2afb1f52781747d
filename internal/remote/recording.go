package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Recording is a copy of what a process had recorded at a moment.
type Recording struct {
	Time    time.Time      // of the copy, of the process's end, or of the last settle of one that lives
	Program string         // the path of the executable; "" if it could not be read
	Stood   time.Duration  // how long its threads stood still; 0 for a core file
	About   blackbox.About // of a black box
	Box     string         // the path of the black box that was read in the place of a core file; "" for none

	Living bool // of a box: its process runs on, and Time is when it last settled its tables

	region  tables.Region
	unmap   func() // of a region that is a file
	started time.Time
	pages   *resident // nil if they were not looked up
	ticks   uint64
	modules []*mappings.Module // at ID − 1
	main    *mappings.Module
	made    *mappings.Module
	objects map[stack.ModuleID]stack.ModuleID
}

// Read copies the recording of a process. It needs the permission to trace the process, as a debugger does. The error is
// errNoRecording if there is none.
func Read(pid int) (*Recording, error) { return read(pid, false) }

// ReadResident is Read for report.RSS, too: while the process stands still, all its pages are looked up, which takes about 5 ms
// for a GiB more.
func ReadResident(pid int) (*Recording, error) { return read(pid, true) }

func read(pid int, pages bool) (*Recording, error) {
	r, err := readFrom(pid, pages)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: reading another process needs the same user or CAP_SYS_PTRACE, and kernel.yama.ptrace_scope 0 or root", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("there is no such process, or it has ended")
	}
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return r, nil
}

func readFrom(pid int, pages bool) (*Recording, error) {
	if errors.Is(usage.Running.OwnNumbers(), usage.ErrStrangeNumbers) { // ptrace would stop another process than the one that /proc shows
		return nil, fmt.Errorf("%w: mount it again first (mount -t proc proc /proc), or read the process from outside", usage.ErrStrangeNumbers)
	}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	process := mappings.Of(dir)
	r := &Recording{}
	var p *place
	if pages {
		segments, err := segmentsOf(process)
		if err != nil {
			return nil, err
		}
		p = &place{kernel: usage.Kernel{Proc: "/proc", Process: pid}, segments: segments}
	}
	if err := r.copy(dir, p); err != nil {
		return nil, err
	}
	loaded, made, err := process.ModulesAndMade()
	if err != nil {
		return nil, err
	}
	r.made = process.Made(layout.ModuleMade, made)
	r.identify(process, loaded)
	return r, nil
}

// copy copies the region while the process is stopped, and looks its pages up unless p is nil.
func (r *Recording) copy(dir string, p *place) error {
	o, err := openMemory(dir)
	if err != nil {
		return err
	}
	defer o.close()
	if r.Program, err = os.Readlink(filepath.Join(dir, "exe")); err != nil {
		r.Program = ""
	}
	start, err := o.findRegion()
	if err != nil {
		return err
	}
	begin := time.Now()
	resume, err := stop(dir)
	if err != nil {
		return err
	}
	defer func() {
		resume()
		r.Stood = time.Since(begin)
	}()
	if err := regionAt(o.memory, start); err != nil { // it may have ended meanwhile
		return err
	}
	r.Time = time.Now()
	if r.region, err = o.copyRegion(start); err != nil {
		return err
	}
	r.started = started(r.region)
	var unknown error
	if r.ticks, unknown = ticksSince(dir, r.region.Load64(layout.HeaderClock)); unknown != nil {
		r.ticks = r.ticksByTime()
	}
	if p != nil {
		p.region, p.memory = start, touchedMemory{o.memory, o.touched}
		r.pages, err = r.look(p)
	}
	return err
}

// Started returns when the recording began.
func (r *Recording) Started() time.Time { return r.started }

// ticksByTime returns the ticks of the recording by the time of day, which somebody may have set meanwhile.
func (r *Recording) ticksByTime() uint64 {
	return uint64(max(0, r.Time.Sub(r.Started()).Nanoseconds())) / layout.Tick
}

func started(head tables.Region) time.Time {
	return time.Unix(0, int64(head.Load64(layout.HeaderStarted)))
}

// identify finds the modules of the region's table among those that are loaded.
func (r *Recording) identify(process mappings.Process, loaded []mappings.Module) {
	for _, t := range r.region.Modules() {
		m := process.Unloaded(t.Path, t.BuildID, t.Bias,
			mappings.Range{Start: mappings.RuntimeAddr(t.Start), Limit: mappings.RuntimeAddr(t.Limit)})
		for i := range loaded {
			if l := loaded[i]; l.Path == t.Path && l.Bias == t.Bias && l.BuildID == t.BuildID {
				m = &l
				if i == 0 {
					r.main = m
				}
				break
			}
		}
		if t.BuildID == "" && m.Inode == 0 {
			r.recognise(m)
		}
		m.ID = t.ID
		r.modules = append(r.modules, m)
	}
	r.objects = make(map[stack.ModuleID]stack.ModuleID)
	for slot := range stack.ModuleID(layout.Objects) {
		number := layout.FirstObject + slot
		if o, ok := r.region.Object(number); ok && o.BuildID != "" {
			r.objects[number] = r.moduleOf(process, &o)
		}
	}
}

// recognise tells a module without a build ID by which file it was, if the process has noted that.
func (r *Recording) recognise(m *mappings.Module) {
	for _, f := range r.About.Files {
		if f.Path == m.Path {
			m.Device, m.Inode, m.Written = f.Device, f.Inode, mappings.Written{Size: f.Size, Time: time.Unix(0, f.Modified)}
		}
	}
}

// moduleOf returns the number of an object's module: one of the table, or a new one if the library was closed before it was listed.
func (r *Recording) moduleOf(process mappings.Process, o *tables.Object) stack.ModuleID {
	for _, m := range r.modules {
		if m.Bias == o.Bias && m.BuildID == o.BuildID {
			return m.ID
		}
	}
	if len(r.modules) == layout.ModuleMade-1 {
		return 0
	}
	code := mappings.Range{Start: mappings.RuntimeAddr(o.CodeStart), Limit: mappings.RuntimeAddr(o.CodeLimit)}
	if o.CodeLimit == 0 {
		code = mappings.Range{Start: mappings.RuntimeAddr(o.Start), Limit: mappings.RuntimeAddr(o.Limit)}
	}
	m := process.Unloaded(o.Path, o.BuildID, o.Bias, code)
	m.ID = stack.ModuleID(len(r.modules) + 1)
	r.modules = append(r.modules, m)
	return m.ID
}

// withModule returns a frame with its module: that of its object, or the only one that ever covered its address. Code that was
// in no file then does not belong to a file that came later.
func (r *Recording) withModule(f stack.Frame, noFile bool) stack.Frame {
	id := f.Module()
	if id >= layout.FirstObject {
		id = r.objects[id]
	}
	if id == 0 && !noFile {
		id = r.only(mappings.RuntimeAddr(f.Address()))
	}
	return stack.NewFrame(id, f.Address())
}

func (r *Recording) only(address mappings.RuntimeAddr) (id stack.ModuleID) {
	for _, m := range r.modules {
		if m.Holds(address) {
			if id != 0 {
				return 0
			}
			id = m.ID
		}
	}
	return id
}

func (r *Recording) module(id stack.ModuleID) *mappings.Module {
	if id == layout.ModuleMade {
		return r.made
	}
	if id == 0 || int(id) > len(r.modules) {
		return nil
	}
	return r.modules[id-1]
}
