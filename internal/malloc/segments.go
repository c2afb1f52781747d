//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
)

const mostData = 64 << 20

// dataOfMalloc returns the writable data of the file with the real malloc.
func dataOfMalloc() (data []words, err error) {
	address, _ := cgo.RealMalloc()
	segments := cgo.Segments()
	of := slices.IndexFunc(segments, func(s cgo.Segment) bool { return s.Start <= address && address < s.Limit })
	if of < 0 {
		return nil, errors.New("the file that contains malloc is not known")
	}
	for _, s := range segments {
		start := (s.Start + 7) &^ 7
		if !s.Writable || s.Path != segments[of].Path || start > s.Limit || s.Limit-start > mostData {
			continue
		}
		if w, ok := wordsAt(start, int(s.Limit-start)/8); ok {
			data = append(data, w)
		}
	}
	if data == nil {
		return nil, errors.New("the file that contains malloc has no data")
	}
	return data, nil
}
