package mappings

import "strings"

// mapping is one line of /proc/self/maps.
type mapping struct {
	Start, Limit RuntimeAddr // half-open
	Perms        string      // as "r-xp"
	Offset       FileOffset  // of Start
	Device       uint64      // as st_dev of stat(2)
	Inode        uint64      // 0 if there is no file
	Path         string      // of the file; "[vdso]", "[anon:…]" and the like; "" for anonymous memory
	Deleted      bool        // by the kernel's account, the path no longer leads to the file
}

// vdsoPath is what the kernel calls the library that it maps into every process.
const vdsoPath = "[vdso]"

// executable reports whether the mapping holds code.
func (m *mapping) executable() bool { return strings.Contains(m.Perms, "x") }

func (m *mapping) readable() bool { return strings.HasPrefix(m.Perms, "r") }

// loaded reports whether code of this mapping belongs to a module: it comes from a file or from the vdso.
func (m *mapping) loaded() bool { return strings.HasPrefix(m.Path, "/") || m.Path == vdsoPath }

// anonymousCode reports whether a mapping holds code that comes from no file. MAP_HUGETLB memory has a path without being one.
func (m *mapping) anonymousCode() bool {
	return m.executable() && (m.Path == "" || m.Path == "/anon_hugepage" || strings.HasPrefix(m.Path, "[anon"))
}

func (m *mapping) sameFile(other *mapping) bool { return m.file() == other.file() }

// fileKey identifies a file among the mappings of a process.
type fileKey struct {
	path          string
	device, inode uint64
}

func (m *mapping) file() fileKey { return fileKey{m.Path, m.Device, m.Inode} }

// RuntimeAddr is an address in the running process's memory.
type RuntimeAddr uint64

// FileOffset is a position in a file on disk.
type FileOffset uint64

// ELFAddr is an address as an ELF file states it (st_value, DWARF, addr2line, profile servers): a RuntimeAddr less the
// module's load bias.
type ELFAddr uint64
