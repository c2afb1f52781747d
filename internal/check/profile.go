package check

import (
	"fmt"
	"io"
	"strings"
	"time"
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

var (
	earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

const longest = int64(366 * 24 * time.Hour)

func (c *checker) checkHeader() {
	c.checkSampleTypes()
	c.checkTimes()
	c.checkPeriod()
	for i, comment := range c.comments {
		c.text(comment, "comment[%d]", i)
	}
	c.text(c.documentation, "doc_url")
	drop, keep := c.text(c.dropFrames, "drop_frames"), c.text(c.keepFrames, "keep_frames")
	if c.dropFrames != 0 || c.keepFrames != 0 {
		c.found(frameFilter, "drop_frames %q, keep_frames %q", drop, keep)
	}
	if c.size > pyroscopeBytes {
		c.found(profileSize, "%d bytes", c.size)
	}
}

func (c *checker) checkSampleTypes() {
	if len(c.sampleTypes) == 0 {
		c.found(sampleTypes, "sample_type")
	}
	names := map[string]bool{}
	for i, t := range c.sampleTypes {
		name := c.text(t.kind, "sample_type[%d].type", i)
		c.text(t.unit, "sample_type[%d].unit", i)
		if name == "" || strings.Contains(name, "-") {
			c.found(sampleTypeName, "sample_type[%d] %q", i, name)
		}
		if names[name] {
			c.found(sampleTypeTwice, "sample_type[%d] %q", i, name)
		}
		names[name] = true
	}
	if name := c.text(c.defaultSampleType, "default_sample_type"); name != "" && !names[name] {
		c.found(defaultSampleType, "default_sample_type %q", name)
	}
}

func (c *checker) checkTimes() {
	if c.sawTimeAgain {
		c.found(timeAgain, "time_nanos")
	}
	if c.time < earliest || c.time >= latest {
		c.found(timeAbsurd, "time_nanos %d", c.time)
	}
	if c.duration < 0 || c.duration > longest {
		c.found(durationAbsurd, "duration_nanos %d", c.duration)
	}
}

func (c *checker) checkPeriod() {
	kind := ""
	if c.periodType != nil {
		kind = c.text(c.periodType.kind, "period_type.type")
		c.text(c.periodType.unit, "period_type.unit")
	}
	if kind == "" {
		c.found(periodType, "period_type")
	}
	if c.period <= 0 {
		c.found(periodAbsent, "period %d", c.period)
	}
}
