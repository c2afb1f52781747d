//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestMappings(t *testing.T) {
	r := start(t, everything)

	t.Run("the stack of a call leads from its caller in C into Go", func(t *testing.T) {
		p := mapIt(5*page - 1)
		defer victim.Unmap(p, 5*page)
		m := known(t, r, p)
		if m.Kind != account.Program || m.Limit-m.Start != 5*page || m.Length != 5*page-1 || m.Shared || m.File {
			t.Errorf("%+v", m)
		}
		if len(m.Frames) < 4 || goFunction(m.Frames[0]) != "" || !through(m, "mapIt") {
			t.Errorf("%x", m.Frames)
		}
		if m.Frames[0].Module() == 0 {
			t.Error("the leaf is in no module")
		}
	})

	t.Run("the same stack has the same number", func(t *testing.T) {
		var ids [2]uint64
		for i := range ids {
			p := mapIt(page)
			defer victim.Unmap(p, page)
			ids[i] = known(t, r, p).ID
		}
		if ids[0] != ids[1] || ids[0] == 0 {
			t.Error(ids)
		}
	})

	t.Run("what is unmapped is gone, and the rest stays", func(t *testing.T) {
		p := mapIt(3 * page)
		if err := victim.Unmap(unsafe.Add(p, page), page); err != nil {
			t.Fatal(err)
		}
		list, _ := mapped(t, r)
		first, gap, last := at(list, p), at(list, unsafe.Add(p, page)), at(list, unsafe.Add(p, 2*page))
		if first == nil || gap != nil || last == nil || first.Call != last.Call {
			t.Errorf("%+v %+v %+v", first, gap, last)
		}
		victim.Unmap(p, 3*page)
		if list, _ := mapped(t, r); at(list, p) != nil {
			t.Error("it is still there")
		}
	})

	t.Run("mremap, brk, shared memory and files", func(t *testing.T) {
		p := remapIt(mapIt(page), page, 100*page)
		defer victim.Unmap(p, 100*page)
		if m := known(t, r, unsafe.Add(p, 99*page)); !through(m, "remapIt") || m.Shared || m.File || m.Unknown {
			t.Errorf("%+v", m)
		}
		shared, file := victim.Map(nil, page, true), victim.MapFile(page)
		defer victim.Unmap(shared, page)
		defer victim.Unmap(file, page)
		if m := known(t, r, shared); !m.Shared || m.File {
			t.Errorf("%+v", m)
		}
		if m := known(t, r, file); m.Shared || !m.File {
			t.Errorf("%+v", m)
		}
	})

	t.Run("a failure changes nothing", func(t *testing.T) {
		p := mapIt(page)
		defer victim.Unmap(p, page)
		call := known(t, r, p).Call
		if err := victim.Unmap(unsafe.Add(p, 1), page); !errors.Is(err, syscall.EINVAL) {
			t.Error(err)
		}
		if victim.Remap(p, page, 1<<46) != nil || known(t, r, p).Call != call {
			t.Error("it changed")
		}
	})

	lossless(t, r)
}

// A handler of a signal may jump out of mmap and munmap. Whatever they hold inside the profiler must not stay taken.
func TestHandlersThatJumpOutOfCallsThatMap(t *testing.T) {
	r := start(t, everything)
	if err := victim.JumpOut(1000); err != nil {
		t.Fatal(err)
	}
	p := mapIt(page)
	defer victim.Unmap(p, page)
	if m := known(t, r, p); !through(m, "mapIt") {
		t.Errorf("%+v", m)
	}
	perform(func() { victim.Free(victim.Malloc(1013)) })
	recordedOfSize(t, r, 1013, passed(1, 1013))
	lossless(t, r)
}

func TestMappingsOfTheKernelsList(t *testing.T) {
	r := start(t, everything)
	p, shared, file := mapIt(page), victim.Map(nil, page, true), victim.MapFile(page)
	defer victim.Unmap(p, page)
	defer victim.Unmap(shared, page)
	defer victim.Unmap(file, page)
	list, kernel := mapped(t, r)
	found := 0
	for _, k := range kernel {
		for i := range list {
			m := &list[i]
			if m.Start < k.Limit && k.Start < m.Limit && !m.Fits(k.shared, k.inode) {
				t.Errorf("%+v, and by the kernel %+v", m, k)
			}
		}
		for _, own := range []unsafe.Pointer{p, shared, file} {
			if k.Start <= uint64(uintptr(own)) && uint64(uintptr(own)) < k.Limit {
				found++
			}
		}
	}
	if found != 3 {
		t.Errorf("the kernel has %d of three ranges", found)
	}
}

func TestMappingsThatHooksDoNotSee(t *testing.T) {
	r := start(t, everything)

	t.Run("Go's package syscall makes system calls of its own", func(t *testing.T) {
		data, err := syscall.Mmap(-1, 0, page, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Munmap(data)
		if list, _ := mapped(t, r); at(list, unsafe.Pointer(&data[0])) != nil {
			t.Error("somebody is blamed")
		}
	})

	t.Run("other memory at the same address does not fit", func(t *testing.T) {
		p := mapIt(page)
		defer victim.Unmap(p, page)
		const fixed = syscall.MAP_ANON | syscall.MAP_SHARED | syscall.MAP_FIXED
		if _, _, err := syscall.Syscall6(syscall.SYS_MMAP, uintptr(p), page, syscall.PROT_READ, fixed, ^uintptr(0), 0); err != 0 {
			t.Fatal(err)
		}
		list, kernel := mapped(t, r)
		m := at(list, p)
		for _, k := range kernel {
			if m != nil && k.Start <= m.Start && m.Start < k.Limit && m.Fits(k.shared, k.inode) {
				t.Errorf("%+v fits %+v", m, k)
			}
		}
	})

	t.Run("what was mapped before Start is not known", func(t *testing.T) {
		stop(t, r)
		p := mapIt(page)
		defer victim.Unmap(p, page)
		r = start(t, everything)
		if list, _ := mapped(t, r); at(list, p) != nil {
			t.Error("somebody is blamed")
		}
	})
}
