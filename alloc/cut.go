//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// cutNow returns how many bytes stacks have that end early, of what has been recorded until now.
func (r *Recording) cutNow() []stack.Loss {
	var memory scratch.Memory
	defer memory.Free()
	read := r.reader(&memory)
	r.settle()
	return read.Settled().Cut()
}
