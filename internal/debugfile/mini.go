package debugfile

import (
	"bytes"
	"errors"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/xz"
)

// The largest packed symbol table that is unpacked, and what it may unpack to: far more than those of large programs,
// and no more than some seconds of work.
const (
	packedLimit   = 16 << 20
	unpackedLimit = 64 << 20
)

// openMini unpacks the symbol table in .gnu_debugdata; nil if there is none. It counts without a build ID, as it is part
// of the module's own file.
func (f *Files) openMini() *elffile.File {
	file, err := unpackMini(f.module.File)
	if err != nil {
		if !errors.Is(err, elffile.ErrNoSection) {
			f.refuse(f.module.Path, ErrDamaged, err)
		}
		return nil
	}
	return file
}

func unpackMini(module *elffile.File) (*elffile.File, error) {
	const section = ".gnu_debugdata"
	if s, ok := module.Section(section); ok && s.Size > packedLimit {
		return nil, xz.ErrTooBig
	}
	packed, err := module.SectionData(section)
	if err != nil {
		return nil, err
	}
	data, err := xz.Decompress(packed, unpackedLimit)
	if err != nil {
		return nil, err
	}
	return elffile.New(bytes.NewReader(data), int64(len(data)), module.Name()+section)
}
