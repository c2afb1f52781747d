//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
)

// ForTwin returns what a twin of the process needs to read glibc's heaps: where they were found, as far as that does not change. With an
// error, which says why they are not known, it is zero: also where malloc is not glibc's. Others are ranges of the program's data
// segment that are not malloc's, ascending.
func ForTwin(others ...account.Range) (cgo.TwinMalloc, error) {
	l, err := await(func() (layout, error) { return findHeaps(others...) }) // arenas and heaps may be made meanwhile
	if err != nil {
		return cgo.TwinMalloc{}, err
	}
	defer l.forget()
	return cgo.NewTwinMalloc(l.forTwin(others)), nil
}

// forTwin adds what is not in the layout. The first arena is the first of the list, and may have no heap yet.
func (l layout) forTwin(others []account.Range) cgo.TwinHeaps {
	m := cgo.TwinHeaps{Arena: l.arenas[0].address, Page: pageSize}
	heaps := l.heaps[0]
	if len(heaps) == 0 {
		return m
	}
	m.Program = [2]uint64{heaps[0].Start, heaps[len(heaps)-1].Limit}
	for _, r := range others {
		m.Others = append(m.Others, [2]uint64{r.Start, r.Limit})
	}
	if p, found := findParameters(l.data, heaps[0].Range); found {
		m.MappedBlocks, m.MappedBytes = p.base-32-p.padding, p.base-16
	}
	return m
}
