package symbolize

import (
	"slices"
	"strings"
	"unsafe"
)

// shelf holds the names and lines of a profile, one after another in blocks. Each on its own would lie among the garbage of its
// batch, in memory that cannot be returned to the kernel as long as the profile is being made. A block lives as long as anything
// in it.
type shelf struct {
	text  strings.Builder
	lines []Line
}

const (
	blockBytes = 16 << 10
	blockLines = blockBytes / int(unsafe.Sizeof(Line{}))
)

// name returns a copy of a name in a block. A name that is large by itself stays where it is.
func (s *shelf) name(name string) string {
	if len(name) > blockBytes/8 {
		return name
	}
	return s.copy(unsafe.Slice(unsafe.StringData(name), len(name)))
}

// copy returns a copy of a name's bytes, in a block unless it is large.
func (s *shelf) copy(name []byte) string {
	if len(name) > blockBytes/8 {
		return string(name)
	}
	from := s.text.Len()
	if from+len(name) > s.text.Cap() {
		from, s.text = 0, strings.Builder{}
		s.text.Grow(blockBytes)
	}
	s.text.Write(name)
	return s.text.String()[from:]
}

// symbol returns the line of a symbol. A name that is readable as it is takes its bytes once.
func (s *shelf) symbol(systemName string, style Style) Line {
	line := Line{SystemName: s.name(systemName)}
	line.Function = line.SystemName
	if readable := style.readableOrNot(systemName); readable != systemName {
		line.Function = s.name(readable)
	}
	return line
}

// keep returns a copy of lines in a block, unless they are many.
func (s *shelf) keep(lines ...Line) []Line {
	if len(lines) > blockLines/8 {
		return slices.Clone(lines)
	}
	if len(lines) > cap(s.lines)-len(s.lines) {
		s.lines = make([]Line, 0, blockLines)
	}
	at := len(s.lines)
	s.lines = append(s.lines, lines...)
	return s.lines[at:len(s.lines):len(s.lines)]
}
