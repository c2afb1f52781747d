package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/layout"
)

// ErrNotBegun reports a box that was made and in which nothing is recorded: the word that says that a header is there is the last
// of it to be written.
var ErrNotBegun = errors.New("nothing is recorded in it: its process ended before it began to record")

// ReadBox reads the recording in the file of a black box, whose process is gone. Its time is that of the last change that the file
// system noted, which may be some seconds before the end. Files are opened by the paths that the process knew, and by their build IDs only.
// It returns ErrNotBegun if the process had only just made the file.
func ReadBox(file *os.File) (*Recording, error) {
	r, err := readBox(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return r, nil
}

func readBox(file *os.File) (*Recording, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := beginsBox(file, info.Size()); err != nil {
		return nil, err
	}
	r := &Recording{Time: info.ModTime()}
	if r.region, err = copyRegion(file, 0, dataOf(file)); err != nil {
		return nil, err
	}
	if missing := r.region.Load64(layout.HeaderMissing); missing > 0 {
		return nil, fmt.Errorf("its disk was full: %d pages could not be written, and without them nothing in it is right", missing)
	}
	r.byTables()
	r.About, _ = blackbox.Read(r.region.Bytes(r.region.Load64(layout.HeaderAbout), r.region.Load64(layout.HeaderAboutSize)))
	if r.About.Program != "" {
		r.Program = r.About.Program
	}
	return r, nil
}

// beginsBox returns nil if a file of so many bytes begins as a box does and is as long as it says, otherwise why not.
func beginsBox(file io.ReaderAt, bytes int64) error {
	var head [layout.HeaderSize + 8]byte
	n, err := file.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if head == [len(head)]byte{} || n == len(head) && binary.NativeEndian.Uint64(head[:]) == 0 {
		return ErrNotBegun
	}
	switch err := regionAt(file, 0); {
	case errors.Is(err, errNoRecording):
		return errors.New("it is not a black box of cgoheap, or was overwritten")
	case err != nil:
		return err
	}
	if size := binary.NativeEndian.Uint64(head[layout.HeaderSize:]); size != uint64(bytes) {
		return fmt.Errorf("it has %d bytes of %d: it was cut short or overwritten", bytes, size)
	}
	return nil
}
