package twin

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// room is how much memory the process can still take: until its control group's limit, and until the machine has none.
type room struct {
	kernel usage.Kernel
	group  usage.Group
	capped bool // there is a group with a limit
}

func newRoom(k usage.Kernel) *room {
	r := &room{kernel: k}
	if g, err := k.Group(); err == nil {
		r.group, r.capped = g, true
	}
	return r
}

// left returns how many bytes there are, and what bounds them.
func (r *room) left() (bytes int64, of string, err error) {
	bytes, err = r.machine()
	if err != nil {
		return 0, "", err
	}
	of = "the machine"
	if r.capped {
		used, err := r.group.UsedNow()
		if err != nil {
			return 0, "", err
		}
		if inGroup := r.group.Limit - used + r.group.Cache; inGroup < bytes {
			bytes, of = inGroup, "the control group "+r.group.Path
		}
	}
	return bytes, of, nil
}

func (r *room) machine() (int64, error) {
	return field(filepath.Join(r.kernel.Proc, "meminfo"), "MemAvailable:")
}

// field returns a line "name  number kB" in bytes.
func field(path, name string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), name); found {
			kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("%s: the line %s: %w", path, name, err)
			}
			return kB << 10, nil
		}
	}
	return 0, fmt.Errorf("%s has no line %s", path, name)
}

// need is how much memory a copy may take.
type need struct {
	tables int64 // of the kernel's, for its pages
	lists  int64 // of the copy's own, for what it finds
	copies int64 // of pages that the program writes meanwhile: a guess, which is why the room is watched
}

const (
	leastCopies  = 32 << 20
	copiedShare  = 8  // of the process's anonymous memory, an eighth is likely to be written
	listsShare   = 40 // the copy's lists take some 2 % of the memory that they are about
	roomReserved = 8 << 20
)

func needOf(k usage.Kernel, shared int64) (n need, err error) {
	if n.tables, err = field(k.Path("status"), "VmPTE:"); err != nil {
		return n, err
	}
	anonymous, err := field(k.Path("status"), "RssAnon:")
	n.lists = shared + anonymous/listsShare
	n.copies = min(anonymous, max(leastCopies, anonymous/copiedShare))
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
	return nil
}

func size(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
