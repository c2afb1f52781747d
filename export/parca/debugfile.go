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

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// places say where debug files are, and how long one may be.
type places struct {
	directories []string
	mostBytes   int64
}

// debugFile is an open file that has a build ID.
type debugFile struct {
	*os.File
	size int64
}

// errNoFile says why nothing can be uploaded, which trying again would not change.
var errNoFile = errors.New("no file has the build ID")

// open opens a module's debug file, or else the module itself. The caller closes it.
func (p *places) open(m export.Module) (*debugFile, error) {
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

func (p *places) openFile(path, buildID string) (*debugFile, error) {
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

func (p *places) check(f *os.File, buildID string) (*debugFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > p.mostBytes {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that may be uploaded", f.Name(), info.Size(), p.mostBytes)
	}
	file, err := elffile.New(f, info.Size(), f.Name())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	id, err := file.BuildID()
	if err != nil {
		return nil, err
	}
	if id != buildID {
		return nil, fmt.Errorf("%s has the build ID %q", f.Name(), id)
	}
	return &debugFile{f, info.Size()}, nil
}

// hash is by what the server tells two uploads apart.
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
