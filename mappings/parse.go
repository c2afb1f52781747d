package mappings

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLine bounds a line of the text: the kernel writes paths of up to a page, newlines in them four times as long.
const maxLine = 1 << 16

// parseMaps reads the format of /proc/pid/maps: all mappings, executable or not, in the order of the text. The kernel writes
// a newline in a path as \012 and adds " (deleted)" to the path of a file that is no longer there; both are undone. If the
// text is not in this format, only the error is returned.
func parseMaps(r io.Reader) ([]mapping, error) {
	var mappings []mapping
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	lines.Split(splitLine)
	for lines.Scan() {
		m, err := parseLine(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("reading mappings: line %d: %w", len(mappings)+1, err)
		}
		mappings = append(mappings, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading mappings: line %d: %w", len(mappings)+1, err)
	}
	return mappings, nil
}

// splitLine is bufio.ScanLines, but keeps a carriage return, with which a path may end.
func splitLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1, data[:end], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// parseLine reads `start-limit perms offset major:minor inode     path`. Everything behind the padding is the path.
func parseLine(line string) (mapping, error) {
	fields := strings.SplitN(line, " ", 6)
	if len(fields) < 5 || len(fields[1]) != 4 {
		return mapping{}, fmt.Errorf("%q is not a mapping", line)
	}
	m := mapping{Perms: fields[1]}
	offset, offsetErr := strconv.ParseUint(fields[2], 16, 64)
	inode, inodeErr := strconv.ParseUint(fields[4], 10, 64)
	device, deviceErr := parseDevice(fields[3])
	if err := errors.Join(m.parseRange(fields[0]), offsetErr, inodeErr, deviceErr); err != nil {
		return mapping{}, err
	}
	m.Offset, m.Inode, m.Device = FileOffset(offset), inode, device
	if len(fields) == 6 {
		m.parsePath(strings.TrimLeft(fields[5], " "))
	}
	return m, nil
}

func (m *mapping) parseRange(text string) error {
	first, second, _ := strings.Cut(text, "-")
	start, startErr := strconv.ParseUint(first, 16, 64)
	limit, limitErr := strconv.ParseUint(second, 16, 64)
	if err := errors.Join(startErr, limitErr); err != nil {
		return err
	}
	if start >= limit {
		return fmt.Errorf("range %s is empty", text)
	}
	m.Start, m.Limit = RuntimeAddr(start), RuntimeAddr(limit)
	return nil
}

// parseDevice returns a device number in the form of stat(2) (makedev of glibc).
func parseDevice(text string) (uint64, error) {
	first, second, _ := strings.Cut(text, ":")
	major, majorErr := strconv.ParseUint(first, 16, 32)
	minor, minorErr := strconv.ParseUint(second, 16, 32)
	if err := errors.Join(majorErr, minorErr); err != nil {
		return 0, err
	}
	return major&^0xfff<<32 | major&0xfff<<8 | minor&^0xff<<12 | minor&0xff, nil
}

func (m *mapping) parsePath(text string) {
	path, deleted := strings.CutSuffix(text, deletedSuffix)
	m.Path, m.Deleted = strings.ReplaceAll(path, `\012`, "\n"), deleted
}

const deletedSuffix = " (deleted)"

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
