package usage

import (
	"errors"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// errNoLimit reports that no control group of the process limits its memory.
var errNoLimit = errors.New("no control group limits the memory of the process")

// Group is what a control group uses, and may use, in bytes. Used is without inactive file cache, which the kernel drops
// before it kills anyone: it is what Kubernetes calls the working set.
type Group struct {
	Path        string
	Used, Limit int64
	Cache       int64 // inactive file cache, which is not in Used
	usedFile    string
}

// UsedNow reads again what the group uses, with its cache, which costs less than finding the group and its cache again.
func (g Group) UsedNow() (int64, error) { return number(g.usedFile) }

// Share returns how much of its limit the group uses, from 0.
func (g Group) Share() float64 { return float64(g.Used) / float64(g.Limit) }

// Group returns the control group around the process that is nearest to its limit; errNoLimit if there is no limit.
func (k Kernel) Group() (Group, error) {
	return k.nearest(func(h hierarchy) hierarchy { return h })
}

// SlowedGroup is Group for the size above which the kernel has a group's processes wait until it has found memory elsewhere.
func (k Kernel) SlowedGroup() (Group, error) {
	return k.nearest(func(h hierarchy) hierarchy {
		h.limit = "memory.high" // the older controller has none
		return h
	})
}

func (k Kernel) nearest(as func(hierarchy) hierarchy) (Group, error) {
	data, err := descriptor.ReadFile(k.Path("cgroup"))
	if err != nil {
		return Group{}, err
	}
	var nearest Group
	for _, h := range k.hierarchies(string(data)) {
		h = as(h)
		for path := range h.groups() {
			if g, ok := h.read(path); ok && (nearest.Limit == 0 || g.Share() > nearest.Share()) {
				nearest = g
			}
		}
	}
	if nearest.Limit == 0 {
		return Group{}, errNoLimit
	}
	return nearest, nil
}

// hierarchy is where a kind of control group is mounted, the process's group in it, and what its files and the line of
// memory.stat are called.
type hierarchy struct {
	mount, path, used, limit, cache string
}

// hierarchies reads lines of "number:controllers:path"; the unified hierarchy has number 0 and no controllers.
func (k Kernel) hierarchies(text string) (list []hierarchy) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		path := filepath.Join("/", fields[2])
		if fields[0] == "0" && fields[1] == "" {
			list = append(list, hierarchy{k.Cgroups, path, "memory.current", "memory.max", "inactive_file"},
				hierarchy{filepath.Join(k.Cgroups, "unified"), path, "memory.current", "memory.max", "inactive_file"})
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			if controller == "memory" {
				list = append(list, hierarchy{filepath.Join(k.Cgroups, "memory"), path,
					"memory.usage_in_bytes", "memory.limit_in_bytes", "total_inactive_file"})
			}
		}
	}
	return list
}

// groups yields the path of the process's group, and of those around it.
func (h hierarchy) groups() iter.Seq[string] {
	return func(yield func(string) bool) {
		for path := h.path; yield(path) && path != "/" && path != "."; {
			path = filepath.Dir(path)
		}
	}
}

// read is false where there is no such group, as for the path outside of a container, or no limit.
func (h hierarchy) read(path string) (Group, bool) {
	dir := filepath.Join(h.mount, path)
	used, usedErr := number(filepath.Join(dir, h.used))
	limit, limitErr := number(filepath.Join(dir, h.limit))
	cache := statistic(filepath.Join(dir, "memory.stat"), h.cache)
	return Group{dir, max(0, used-cache), limit, cache, filepath.Join(dir, h.used)}, usedErr == nil && limitErr == nil && limit > 0 && limit < unlimited
}

// unlimited and more is what the older controller has for no limit: the largest number of whole pages.
const unlimited = 1 << 62

// statistic returns the number of that name in a file of names and numbers; 0 if there is none.
func statistic(path, name string) int64 {
	data, err := descriptor.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if text, found := strings.CutPrefix(line, name+" "); found {
			n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			return n
		}
	}
	return 0
}

func number(path string) (int64, error) {
	data, err := descriptor.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}
