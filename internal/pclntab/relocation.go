package pclntab

import (
	"debug/elf"
	"encoding/binary"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// relocations are the entries of .rela.dyn, 24 bytes each. The relative ones matter: the loader stores the entry's value
// plus the load bias at its address.
type relocations struct {
	entries  []byte
	relative uint64 // the type of relative relocations
}

const relocationSize = 24

// readRelocations reads the relocations that a C linker leaves to the loader. Go's own linker calls the section otherwise,
// but writes the addresses into the data as well.
func readRelocations(f *elffile.File) relocations {
	r := relocations{relative: uint64(elf.R_X86_64_RELATIVE)}
	if f.Machine == elf.EM_AARCH64 {
		r.relative = uint64(elf.R_AARCH64_RELATIVE)
	}
	r.entries, _ = f.SectionData(".rela.dyn")
	return r
}

// each yields the relative relocations.
func (r relocations) each(yield func(at, value uint64) bool) {
	for rest := r.entries; len(rest) >= relocationSize; rest = rest[relocationSize:] {
		if binary.LittleEndian.Uint64(rest[8:]) != r.relative {
			continue
		}
		if !yield(binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[16:])) {
			return
		}
	}
}

// pointersTo lists where the loader stores an address, at most limit positions.
func (r relocations) pointersTo(address uint64, limit int) (addresses []uint64) {
	for at, value := range r.each {
		if value == address {
			if addresses = append(addresses, at); len(addresses) == limit {
				break
			}
		}
	}
	return addresses
}

// apply relocates words at an address as the loader does.
func (r relocations) apply(words *[moduleWords]uint64, address uint64) {
	for at, value := range r.each {
		if at >= address && at-address < moduleWords*word && (at-address)%word == 0 {
			words[(at-address)/word] = value
		}
	}
}
