package usage

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Part is memory that the kernel counts, but not in RSS.
type Part struct {
	Name, Sentence string
	Bytes          int64
	Err            error // why it could not be read
}

// OutsideRSS returns what counts against the limit of the process's control group and is not in RSS, which is the group's and not the
// process's alone, and the process's own page tables.
func (k Kernel) OutsideRSS() []Part {
	statistics, err := k.groupStatistics()
	group := func(name, sentence string, bytes func(map[string]int64) (int64, error)) Part {
		p := Part{Name: name, Sentence: sentence, Err: err}
		if err == nil {
			p.Bytes, p.Err = bytes(statistics)
		}
		return p
	}
	tables, tablesErr := k.pageTables()
	return []Part{
		group("control group: page cache", "files that the kernel keeps in memory for the group, mapped or not; most of it can be dropped",
			func(s map[string]int64) (int64, error) { return max(0, s["file"]-s["shmem"]), need(s, "file", "shmem") }),
		group("control group: tmpfs and shared memory", "files in memory, which count until they are deleted, mapped or not",
			func(s map[string]int64) (int64, error) { return s["shmem"], need(s, "shmem") }),
		group("control group: kernel memory", "what the kernel itself takes for the group: stacks, page tables, buffers, names of files",
			func(s map[string]int64) (int64, error) { return s["kernel"], need(s, "kernel") }),
		{"page tables", "the kernel's tables of the process's memory", tables, tablesErr},
	}
}

func need(s map[string]int64, names ...string) error {
	for _, name := range names {
		if _, ok := s[name]; !ok {
			return errors.New("memory.stat has no line " + name)
		}
	}
	return nil
}

// olderNames are the lines of the older controller's memory.stat with the same meaning as the unified one's.
var olderNames = map[string]string{"total_cache": "file", "total_shmem": "shmem"}

// groupStatistics returns the lines of memory.stat of the process's group, under the names of the unified hierarchy. Inside a
// container the group's path may be that outside of it, so the nearest group above that is there counts.
func (k Kernel) groupStatistics() (map[string]int64, error) {
	text, err := descriptor.ReadFile(k.Path("cgroup"))
	if err != nil {
		return nil, err
	}
	for _, h := range k.hierarchies(string(text)) {
		for path := range h.groups() {
			if s := statisticsIn(filepath.Join(h.mount, path)); len(s) > 0 {
				return s, nil
			}
		}
	}
	return nil, errors.New("no control group of the process has a memory.stat")
}

func statisticsIn(dir string) map[string]int64 {
	text, err := descriptor.ReadFile(filepath.Join(dir, "memory.stat"))
	if err != nil {
		return nil
	}
	s := make(map[string]int64)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		s[name] = n
	}
	for older, name := range olderNames {
		if n, ok := s[older]; ok {
			s[name] = n
		}
	}
	if n, err := number(filepath.Join(dir, "memory.kmem.usage_in_bytes")); err == nil {
		s["kernel"] = n
	}
	return s
}

// pageTables returns the size of the process's page tables, of all levels.
func (k Kernel) pageTables() (int64, error) { return k.field("status", "VmPTE:") }
