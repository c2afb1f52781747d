package check

import (
	"fmt"
	"io"
)

// Profile reads a profile in pprof's format, gzipped or not, and returns what is wrong with it: at most one Fault for each
// rule, in the order of rules.go. It returns an error, and no faults, if it cannot read the profile: the bytes are not a
// profile, or more than any real one has.
func Profile(r io.Reader) ([]Fault, error) {
	f, c, err := open(r)
	if err != nil {
		return nil, err
	}
	if c.checkSamples(f.Raw); c.err != nil {
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
