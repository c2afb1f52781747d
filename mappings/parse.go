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
