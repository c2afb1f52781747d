package account

import "github.com/cgoheap/cgoheap/stack"

// CallSamples are what is resident of recorded mappings, one sample for each stack.
type CallSamples struct {
	ByLine map[string][]stack.Sample // by the line of the account
	index  map[mappedBy]int          // where each line's samples have each stack
}

// Add adds what was found in a mapping, if its call is known and has a stack.
func (c *CallSamples) Add(m *Mapping, found *ByLine) {
	if m.Call == 0 || len(m.Frames) == 0 {
		return
	}
	if c.index == nil {
		c.ByLine, c.index = make(map[string][]stack.Sample), make(map[mappedBy]int)
	}
	for _, part := range []struct {
		line string
		Size
	}{{MappedBy, found.Anonymous}, {Files, found.Files}, {Shared, found.Shared}, {DeviceFiles, found.Devices}} {
		if part.Resident == 0 {
			continue
		}
		key := mappedBy{part.line, m.ID}
		at, known := c.index[key]
		if !known {
			at = len(c.ByLine[part.line])
			c.index[key] = at
			c.ByLine[part.line] = append(c.ByLine[part.line], stack.Sample{Frames: m.Frames, BlockSize: stack.MixedSizes})
		}
		c.ByLine[part.line][at].Add(stack.Values{InuseObjects: 1, InuseBytes: part.Resident})
	}
}

// mappedBy is a line of the account and a stack of calls that map memory.
type mappedBy struct {
	line  string
	stack uint64
}
