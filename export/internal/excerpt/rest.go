package excerpt

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// rest is the sum of the samples that an excerpt has no room for.
type rest struct {
	samples int
	values  []int64
}

// longestRest returns how long the rest of so many samples can be.
func longestRest(p *Profile, s *samples, u *used, samples int) int {
	longest := slices.Repeat([]int64{math.MinInt64}, len(s.columns)) // ten bytes each
	return len((&rest{samples, longest}).write(nil, p, u))
}

// write appends a sample in the main binary's function "other", and the comment that a profile of the profiler has of it.
func (r *rest) write(out []byte, p *Profile, u *used) []byte {
	other, comment := uint64(len(p.strings)), uint64(len(p.strings))+1
	out = appendBytes(out, profileStringTable, []byte("other"))
	out = appendBytes(out, profileStringTable, fmt.Appendf(nil,
		"cgoheap: other: %s beyond the bound of the profile, added up", count(r.samples)))
	out = appendNumber(out, profileComment, comment)
	function := appendNumber(nil, anyID, u.lastFunction+1)
	function = appendNumber(appendNumber(function, functionName, other), functionSystemName, other)
	out = appendBytes(out, profileFunction, function)
	location := appendNumber(nil, anyID, u.lastLocation+1)
	if u.mapping != 0 {
		location = appendNumber(location, locationMappingID, u.mapping)
	}
	location = appendBytes(location, locationLine, appendNumber(nil, lineFunctionID, u.lastFunction+1))
	out = appendBytes(out, profileLocation, location)
	return new(samples).appendSample(out, string(appendNumber(nil, sampleLocationID, u.lastLocation+1)), r.values)
}

func count(samples int) string {
	if samples == 1 {
		return "1 sample"
	}
	return fmt.Sprint(samples, " samples")
}

func appendNumber(out []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), v)
}

func appendBytes(out []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), v)
}
