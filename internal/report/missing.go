package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// missing counts, by the path of the file, the addresses that have no name or a poor one. The path is "" for addresses in no
// file.
type missing map[string]*symbolize.MissingCounts

func (m missing) add(module *mappings.Module, result symbolize.Result) {
	path := ""
	if module != nil {
		path = module.Path
	}
	if m[path] == nil {
		m[path] = &symbolize.MissingCounts{}
	}
	m[path].Add(result)
}

func (m missing) sum() (all symbolize.MissingCounts) {
	for _, counts := range m {
		all.Include(counts)
	}
	return all
}

// sentences returns how many addresses have no name, or a poor one, in which files, and why.
func (m missing) sentences() (list []string) {
	var none symbolize.MissingCounts
	for reason := range none.Unnamed {
		list = m.sentence(list, "without a name", reason, func(t *symbolize.MissingCounts) uint64 { return t.Unnamed[reason] })
	}
	for reason := range none.Poor {
		list = m.sentence(list, "without inlined calls or lines", reason, func(t *symbolize.MissingCounts) uint64 { return t.Poor[reason] })
	}
	return list
}

func (m missing) sentence(list []string, what string, reason int, count func(*symbolize.MissingCounts) uint64) []string {
	var files []fileCount
	var total uint64
	for _, path := range slices.Sorted(maps.Keys(m)) {
		if n := count(m[path]); n > 0 {
			files = append(files, fileCount{path, n})
			total += n
		}
	}
	if total == 0 {
		return list
	}
	return append(list, fmt.Sprintf("%s %s%s. %s", Count(int64(total), "address"), what, in(files), symbolize.Reason(reason).Sentence()))
}

// fileCount is a number of addresses of a file.
type fileCount struct {
	path  string
	count uint64
}

// filesLimit is how many files a sentence names.
const filesLimit = 3

// in lists the files, those with most addresses first; it returns "" for addresses in no file.
func in(files []fileCount) string {
	if files[0].path == "" {
		return ""
	}
	if len(files) == 1 {
		return " in " + files[0].path
	}
	slices.SortStableFunc(files, func(a, b fileCount) int { return cmp.Compare(b.count, a.count) })
	var parts []string
	for _, f := range files[:min(len(files), filesLimit)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", f.path, f.count))
	}
	if more := len(files) - filesLimit; more > 0 {
		parts = append(parts, Count(int64(more), "more file"))
	}
	return " in " + strings.Join(parts, ", ")
}
