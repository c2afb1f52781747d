package check

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// maxBytes bounds the uncompressed profile: 64 times Pyroscope's limit.
const maxBytes = 256 << 20

// Profile reads a profile in pprof's format, gzipped or not, and returns what is wrong with it: at most one Fault for each
// rule, in the order of rules.go. It returns an error, and no faults, if it cannot read the profile: the bytes are not a
// profile, or more than any real one has.
func Profile(r io.Reader) ([]Fault, error) {
	raw, err := uncompressed(r, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}
	c := checker{size: len(raw)}
	c.tables = c.readTables(raw)
	if c.err == nil {
		c.checkTables()
		c.checkSamples(raw)
	}
	if c.err != nil {
		return nil, fmt.Errorf("this is not a profile in pprof's format: %w", c.err)
	}
	return c.list(), nil
}

// checker holds the data that the rules check.
type checker struct {
	decoder
	faults
	*tables
	size int

	mappingIDs, functionIDs, locationIDs ids
	keys                                 map[int64]*labelTexts
}

func (c *checker) checkTables() {
	c.checkStrings()
	c.checkIDs()
	c.checkMappings()
	c.checkFunctions()
	c.checkLocations()
	c.checkHeader()
}

func (c *checker) checkSamples(raw []byte) {
	c.keys = map[int64]*labelTexts{}
	count := c.eachSample(raw, func(i int, s *sample) {
		c.checkSample(i, s)
		c.checkLabels(i, s)
	})
	if count > pyroscopeSamples {
		c.found(sampleCount, "%d samples", count)
	}
}

var errEmpty = errors.New("there is no data")

// uncompressed reads all bytes, at most limit, into a slice whose capacity is its length.
func uncompressed(r io.Reader, limit int) ([]byte, error) {
	buffered := bufio.NewReader(r)
	r = buffered
	if head, _ := buffered.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		r = z
	}
	raw, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) == 0:
		return nil, errEmpty
	case len(raw) > limit:
		return nil, fmt.Errorf("it has more than %d bytes", limit)
	}
	return raw[:len(raw):len(raw)], nil
}
