package mappings

import (
	"os"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// returnMoved gives text that a program has moved onto huge pages back to its file. Programs do that to themselves: they copy
// their code, or the aligned middle of it, to other memory and map that over the original,
//
//	file F                  r--p
//	nothing, or file G      r-xp   where F's program headers have code
//	file F                  r--p
//
// The mappings ascend by address. What lies beside such code tells which file it may be; that file's headers tell whether it
// is: the code lies within one executable segment, and all other segments are mapped where the loader puts them.
func returnMoved(mappings []mapping, open opener) {
	for i := 1; i < len(mappings); i++ {
		returnTo(&mappings[i-1], &mappings[i], mappings, open)
	}
	for i := len(mappings) - 1; i > 0; i-- {
		returnTo(&mappings[i], &mappings[i-1], mappings, open)
	}
}

// returnTo makes code part of the file that is mapped beside it, if it is text of that file.
func returnTo(file, code *mapping, all []mapping, open opener) {
	touching := file.Limit == code.Start || code.Limit == file.Start
	other := code.anonymousCode() || code.executable() && strings.HasPrefix(code.Path, "/") && !code.sameFile(file)
	if !touching || !other || !strings.HasPrefix(file.Path, "/") {
		return
	}
	m := Module{Path: file.Path, Deleted: file.Deleted, Device: file.Device, Inode: file.Inode}
	for i := range all {
		if all[i].sameFile(file) {
			m.mapped = append(m.mapped, all[i])
		}
	}
	segments := m.inspect(open)
	for _, bias := range segmentBiases(segments, m.mapped) {
		if offset, ok := offsetOfText(code, segments, bias); ok && restIsLoaded(segments, bias, m.mapped) {
			code.Path, code.Device, code.Inode, code.Deleted = file.Path, file.Device, file.Inode, file.Deleted
			code.Offset = offset
			return
		}
	}
}

// offsetOfText returns the offset in a file whose place in memory the mapping has, if it lies in an executable segment.
func offsetOfText(m *mapping, segments []elffile.Segment, bias uint64) (FileOffset, bool) {
	for _, s := range segments {
		start, limit := pageDown(bias+s.Vaddr), pageDown(bias+s.Vaddr+s.Memsz+page-1)
		if s.Exec && start <= uint64(m.Start) && uint64(m.Limit) <= limit {
			return FileOffset(pageDown(s.Offset) + uint64(m.Start) - start), true
		}
	}
	return 0, false
}

// restIsLoaded reports whether all segments without code, of which there is one, are mapped where the loader puts them. It is
// false for a file of which only parts are mapped, to be read.
func restIsLoaded(segments []elffile.Segment, bias uint64, mapped []mapping) bool {
	some := false
	for _, s := range segments {
		if s.Exec || s.Filesz == 0 {
			continue
		}
		some = true
		if !slices.ContainsFunc(mapped, func(m mapping) bool {
			within := pageDown(bias+s.Vaddr) - uint64(m.Start)
			return within < uint64(m.Limit-m.Start) && uint64(m.Offset)+within == pageDown(s.Offset)
		}) {
			return false
		}
	}
	return some
}

var page = uint64(os.Getpagesize())

func pageDown(address uint64) uint64 { return address &^ (page - 1) }
