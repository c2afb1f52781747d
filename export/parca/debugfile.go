package parca

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// search is where debug files are looked for, and how large one may be.
type search struct {
	directories []string
	mostBytes   int64
}

// debugFile is an open file that has a build ID.
type debugFile struct {
	*os.File
	size int64
}

// errNoFile reports that nothing can be uploaded. Another attempt would not change that.
var errNoFile = errors.New("no file has the build ID")

// open opens a module's debug file, or else the module itself. The caller closes it.
func (p *search) open(m delivery.Module) (*debugFile, error) {
	var paths []string
	if len(m.BuildID) > 2 {
		for _, d := range p.directories {
			paths = append(paths, filepath.Join(d, ".build-id", m.BuildID[:2], m.BuildID[2:]+".debug"))
		}
	}
	failure := errNoFile
	for _, path := range append(paths, m.File) {
		f, err := p.openFile(path, m.BuildID)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			failure = fmt.Errorf("%w %s: %w", errNoFile, m.BuildID, err)
		}
	}
	return nil, failure
}

func (p *search) openFile(path, buildID string) (*debugFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a FIFO would wait for its writer
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	d, err := p.check(f, buildID)
	if err != nil {
		f.Close()
		return nil, err
	}
	return d, nil
}

func (p *search) check(f *os.File, buildID string) (*debugFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > p.mostBytes {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that may be uploaded", f.Name(), info.Size(), p.mostBytes)
	}
	id, err := readBuildID(f)
	if err != nil {
		return nil, err
	}
	if id != buildID {
		return nil, fmt.Errorf("%s has the build ID %q", f.Name(), id)
	}
	return &debugFile{f, info.Size()}, nil
}

// hash returns the hash by which the server distinguishes uploads.
func (d *debugFile) hash(ctx context.Context) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, d.content(ctx)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// content reads the file from its beginning, as long as it was when it was opened.
func (d *debugFile) content(ctx context.Context) io.Reader {
	return &paced{ctx: ctx, Reader: io.NewSectionReader(d.File, 0, d.size), began: time.Now()}
}
