package twin

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// room is how much memory the process can still take: until its control group's limit, and until the machine has none.
type room struct {
	kernel usage.Kernel
	groups []usage.Group // with a limit
	strict bool          // the kernel promises no more memory than there is: vm.overcommit_memory=2
}

func newRoom(k usage.Kernel) *room {
	r := &room{kernel: k}
	for _, find := range []func() (usage.Group, error){k.Group, k.SlowedGroup} {
		if g, err := find(); err == nil {
			r.groups = append(r.groups, g)
		}
	}
	mode, err := descriptor.ReadFile(filepath.Join(k.Proc, "sys/vm/overcommit_memory"))
	r.strict = err == nil && strings.TrimSpace(string(mode)) == "2"
	return r
}

// left returns how many bytes there are, and what bounds them.
func (r *room) left() (bytes int64, of string, err error) {
	bytes, err = r.machine()
	if err != nil {
		return 0, "", err
	}
	of = "the machine"
	for _, g := range r.groups {
		used, err := g.UsedNow()
		if err != nil {
			return 0, "", err
		}
		if inGroup := g.Limit - used + g.Cache; inGroup < bytes {
			bytes, of = inGroup, "the control group "+g.Path
		}
	}
	if r.strict {
		promised, err := r.promises()
		if err != nil {
			return 0, "", err
		}
		if promised < bytes {
			bytes, of = promised, "the machine, which promises no more than it has (vm.overcommit_memory=2),"
		}
	}
	return bytes, of, nil
}

func (r *room) machine() (int64, error) {
	return usage.Kilobytes(filepath.Join(r.kernel.Proc, "meminfo"), "MemAvailable:")
}

// promises returns how much memory the kernel may still promise.
func (r *room) promises() (int64, error) {
	path := filepath.Join(r.kernel.Proc, "meminfo")
	most, err := usage.Kilobytes(path, "CommitLimit:")
	if err != nil {
		return 0, err
	}
	given, err := usage.Kilobytes(path, "Committed_AS:")
	return most - given, err
}

// need is how much memory a copy may take.
type need struct {
	tables int64 // of the kernel's, for its pages
	lists  int64 // of the copy's own, for what it finds
	copies int64 // of pages that the program writes meanwhile: a guess, which is why the room is watched; and of those that it has pinned
}

const (
	leastCopies  = 32 << 20
	copiedShare  = 8  // of the process's anonymous memory, an eighth is likely to be written
	listsShare   = 25 // the copy's lists take some 2 % of the memory that they are about, and while it looks for what Go keeps, 4 % of Go's heap
	roomReserved = 8 << 20
)

func needOf(k usage.Kernel, shared int64) (n need, err error) {
	if n.tables, err = usage.Kilobytes(k.Path("status"), "VmPTE:"); err != nil {
		return n, err
	}
	anonymous, err := usage.Kilobytes(k.Path("status"), "RssAnon:")
	pinned, _ := usage.Kilobytes(k.Path("status"), "VmPin:") // kernels before 3.2 have none
	n.lists = shared + anonymous/listsShare
	n.copies = min(anonymous, max(leastCopies, anonymous/copiedShare)) + pinned
	return n, err
}

func (n *need) sum() int64 { return n.tables + n.lists + n.copies + roomReserved }

// check returns an error if there is too little room.
func (r *room) check(n need) error {
	left, of, err := r.left()
	if err != nil {
		return fmt.Errorf("it is not known how much memory is left: %w", err)
	}
	if left < n.sum() {
		return fmt.Errorf("%s has %s left, and a copy of this process may take %s: %s for page tables, %s for its lists, %s for pages that the program writes "+
			"meanwhile", of, size(left), size(n.sum()), size(n.tables), size(n.lists), size(n.copies+roomReserved))
	}
	if r.strict {
		return r.checkPromises()
	}
	return nil
}

// checkPromises returns an error if what the kernel must promise a copy, of which it takes little, is more than half of what is
// left.
func (r *room) checkPromises() error {
	left, err := r.promises()
	if err != nil {
		return err
	}
	data, err := usage.Kilobytes(r.kernel.Path("status"), "VmData:")
	if err != nil {
		return err
	}
	stack, err := usage.Kilobytes(r.kernel.Path("status"), "VmStk:")
	if err == nil && left/2 < data+stack {
		err = fmt.Errorf("the machine promises no more memory than it has (vm.overcommit_memory=2): a copy of this process would "+
			"be promised %s of the %s that are left, and the program might get none meanwhile", size(data+stack), size(left))
	}
	return err
}

func size(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
