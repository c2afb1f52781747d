package parca

import (
	"context"
	"io"
	"time"
)

// bytesPerSecond bounds how fast a file is read, for its hash and for the upload: disk, processor and network belong to the
// host.
const bytesPerSecond = 16 << 20

// paced is a reader that is no faster than bytesPerSecond on average since it began, and fails when its context is done.
type paced struct {
	ctx context.Context
	io.Reader
	began time.Time
	read  int64
}

func (r *paced) Read(p []byte) (int, error) {
	due := r.began.Add(time.Duration(r.read) * time.Second / bytesPerSecond)
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
	n, err := r.Reader.Read(p[:min(len(p), pieceBytes)])
	r.read += int64(n)
	return n, err
}
