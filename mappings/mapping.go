package mappings

import "strings"

// Mapping is one line of /proc/self/maps.
type Mapping struct {
	Start, Limit RuntimeAddr // half-open
	Perms        string      // as "r-xp"
	Offset       FileOffset  // of Start
	Device       uint64      // as st_dev of stat(2)
	Inode        uint64      // 0 if there is no file
	Path         string      // of the file; "[vdso]", "[anon:…]" and the like; "" for anonymous memory
	Deleted      bool        // the kernel says that the path no longer leads to the file
}

// vdsoPath is what the kernel calls the library that it maps into every process.
const vdsoPath = "[vdso]"

// Executable says whether the mapping holds code.
func (m *Mapping) Executable() bool { return strings.Contains(m.Perms, "x") }

func (m *Mapping) readable() bool { return strings.HasPrefix(m.Perms, "r") }

// loaded says whether code of this mapping belongs to a module: it comes from a file or from the vdso.
func (m *Mapping) loaded() bool { return strings.HasPrefix(m.Path, "/") || m.Path == vdsoPath }

func (m *Mapping) sameFile(other *Mapping) bool { return m.file() == other.file() }

// fileKey identifies a file among the mappings of a process.
type fileKey struct {
	path          string
	device, inode uint64
}

func (m *Mapping) file() fileKey { return fileKey{m.Path, m.Device, m.Inode} }
