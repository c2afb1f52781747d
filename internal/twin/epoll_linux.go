//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// epollWords appends what the program has given epoll_ctl with each descriptor that it watches (epoll_data). It is often the only pointer
// to a connection. The kernel lists it as "tfd: 9 events: 19 data: 7f01a2b3c4d0 ..." (proc(5), fdinfo). The words that were there are
// gone from the old slice.
//
// While the kernel writes a list, whoever waits for its descriptors waits for that, too: 1.5 µs for each. So a process that has very many
// open is spared it.
func epollWords(k usage.Kernel, words []uint64) []uint64 {
	dir, names, _ := descriptors(k) // without a list, nothing is watched
	if len(names) > mostOpen {
		return words
	}
	for _, name := range names {
		if file, err := os.Readlink(filepath.Join(dir, name)); err == nil && file == "anon_inode:[eventpoll]" {
			words = watchedBy(k.Path("fdinfo/"+name), words)
		}
	}
	return words
}

const mostOpen = 50_000

func watchedBy(info string, words []uint64) []uint64 {
	text, err := descriptor.ReadFile(info)
	if err != nil {
		return words
	}
	before := words
	words = append(make([]uint64, 0, len(words)+bytes.Count(text, []byte(" data:"))), before...)
	clear(before) // or what is lost would be held by this
	for line := range bytes.Lines(text) {
		if _, data, found := bytes.Cut(line, []byte(" data:")); found {
			word, _, _ := bytes.Cut(bytes.TrimLeft(data, " "), []byte(" "))
			if value, err := strconv.ParseUint(string(word), 16, 64); err == nil {
				words = append(words, value)
			}
		}
	}
	return words
}
