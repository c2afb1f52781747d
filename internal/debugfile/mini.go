package debugfile

import (
	"bytes"
	"errors"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/xz"
)

// unpackedLimit is how many bytes a packed symbol table may unpack to where the Finder has no Allowance. Large programs need
// far less, and unpacking this much takes some seconds.
const unpackedLimit = 64 << 20

// openMini unpacks the symbol table in .gnu_debugdata; nil if there is none. It needs no build ID, because it is part of the
// module's own file.
func (f *Files) openMini() *elffile.File {
	file, err := f.unpackMini()
	if err != nil {
		if !errors.Is(err, elffile.ErrNoSection) {
			f.refuse(f.module.Path, errDamaged, err)
		}
		return nil
	}
	return file
}

// unpackMini unpacks the table into memory that Close frees. Packed and unpacked, it takes no more than the Allowance.
func (f *Files) unpackMini() (*elffile.File, error) {
	const section = ".gnu_debugdata"
	module := f.module.File
	if s, ok := module.Section(section); ok {
		if err := module.Charge(s.Size); err != nil {
			return nil, err
		}
	}
	packed, err := module.SectionData(section)
	if err != nil {
		return nil, err
	}
	limit := min(unpackedLimit, f.finder.Allowance.Left())
	data, err := xz.Decompress(packed, int(limit), &f.memory)
	if errors.Is(err, xz.ErrTooBig) {
		return nil, errors.Join(elffile.ErrAllowance, err)
	}
	if err != nil {
		return nil, err
	}
	file, err := elffile.New(bytes.NewReader(data), int64(len(data)), module.Name()+section)
	if err != nil {
		return nil, err
	}
	file.Share(f.finder.Allowance)
	return file, file.Charge(uint64(len(data)))
}
