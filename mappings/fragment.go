package mappings

import "strings"

// joinFragments assigns text that was moved onto huge pages to its file again. Programs do that to themselves: they copy the
// aligned middle of their code to anonymous memory with large pages and map it over the original,
//
//	file F, offset o        r-xp   ┐
//	(nothing)               r-xp   ├ contiguous in memory, and F goes on where it would if F had never been left
//	file F, offset o + gap  r--p   ┘
//
// Code generated at run time never has this layout by chance: the loader maps the segments of a file without gaps.
func joinFragments(mappings []mapping) {
	for i := 1; i < len(mappings); i++ {
		if !mappings[i].anonymousCode() {
			continue
		}
		next := i
		for next < len(mappings) && mappings[next].anonymousCode() {
			next++
		}
		if next < len(mappings) && enclosed(mappings[i-1:next+1]) {
			adopt(mappings[i-1], mappings[i:next])
		}
		i = next
	}
}

// anonymousCode reports whether a mapping can be remapped text. MAP_HUGETLB memory has a path without being a file.
func (m *mapping) anonymousCode() bool {
	return m.executable() && (m.Path == "" || m.Path == "/anon_hugepage" || strings.HasPrefix(m.Path, "[anon"))
}

// enclosed reports whether the first and the last mapping belong to one file whose offsets continue across those between.
func enclosed(run []mapping) bool {
	first, last := &run[0], &run[len(run)-1]
	for i := 1; i < len(run); i++ {
		if run[i].Start != run[i-1].Limit {
			return false
		}
	}
	return strings.HasPrefix(first.Path, "/") && first.sameFile(last) &&
		uint64(last.Offset-first.Offset) == uint64(last.Start-first.Start)
}

func adopt(file mapping, fragments []mapping) {
	for i := range fragments {
		f := &fragments[i]
		f.Path, f.Device, f.Inode, f.Deleted = file.Path, file.Device, file.Inode, file.Deleted
		f.Offset = file.Offset + FileOffset(f.Start-file.Start)
	}
}
