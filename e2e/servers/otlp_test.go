package servers

import (
	"fmt"
	"strings"

	"github.com/google/pprof/profile"
)

// dictionary is what the profiles of a request refer to by index, in OTLP's JSON, where 64-bit numbers are strings.
type dictionary struct {
	StringTable    []string
	AttributeTable []struct {
		KeyStrindex, UnitStrindex int
		Value                     anyValue
	}
	StackTable    []struct{ LocationIndices []int }
	LocationTable []struct {
		MappingIndex     int
		Address          uint64 `json:",string"`
		AttributeIndices []int
		Lines            []struct {
			FunctionIndex int
			Line          int64 `json:",string"`
			Column        int64 `json:",string"`
		}
	}
	FunctionTable []struct {
		NameStrindex, SystemNameStrindex, FilenameStrindex int
		StartLine                                          int64 `json:",string"`
	}
	MappingTable []struct {
		FilenameStrindex int
		AttributeIndices []int
	}
}

type valueType struct{ TypeStrindex, UnitStrindex int }

type sample struct {
	StackIndex       int
	AttributeIndices []int
	Values           []jsonNumber
}

// jsonNumber is one in a list, in quotes.
type jsonNumber int64

func (n *jsonNumber) UnmarshalJSON(data []byte) error {
	_, err := fmt.Sscanf(string(data), `"%d"`, n)
	return err
}

// attribute is one of a resource. The collector puts its texts into the dictionary, too.
type attribute struct {
	Key         string
	KeyStrindex int
	Value       anyValue
}

type anyValue struct {
	StringValue         string
	StringValueStrindex int
}

func (d *dictionary) textOf(v anyValue) string {
	if v.StringValueStrindex > 0 {
		return d.StringTable[v.StringValueStrindex]
	}
	return v.StringValue
}

// texts are the attributes whose values are texts.
func (d *dictionary) texts(of []attribute) map[string]string {
	all := map[string]string{}
	for _, a := range of {
		key := a.Key
		if a.KeyStrindex > 0 {
			key = d.StringTable[a.KeyStrindex]
		}
		all[key] = d.textOf(a.Value)
	}
	return all
}

// buildID is an attribute of a mapping.
func (d *dictionary) buildID(attributes []int) string {
	for _, i := range attributes {
		if a := d.AttributeTable[i]; d.StringTable[a.KeyStrindex] == "process.executable.build_id.gnu" {
			return d.textOf(a.Value)
		}
	}
	return ""
}

func (c *collected) kind() string {
	return c.StringTable[c.SampleType.TypeStrindex] + ":" + c.StringTable[c.SampleType.UnitStrindex]
}

// stacks are the sums for each stack, by the names of its functions.
func (c *collected) stacks() stacks {
	return c.sums(func(i int) (names []string) {
		for _, line := range c.LocationTable[i].Lines {
			names = append(names, c.StringTable[c.FunctionTable[line.FunctionIndex].NameStrindex])
		}
		if len(names) == 0 {
			names = []string{"?"}
		}
		return names
	})
}

// details are the sums for each stack, with all that a location has.
func (c *collected) details() stacks {
	return c.sums(func(i int) []string {
		l := c.LocationTable[i]
		m := c.MappingTable[l.MappingIndex]
		texts := []string{fmt.Sprintf("%#x of %s %s", l.Address, c.StringTable[m.FilenameStrindex], c.buildID(m.AttributeIndices))}
		for _, line := range l.Lines {
			f := c.FunctionTable[line.FunctionIndex]
			texts = append(texts, fmt.Sprintf("%s %s %s:%d:%d:%d", c.StringTable[f.NameStrindex], c.StringTable[f.SystemNameStrindex],
				c.StringTable[f.FilenameStrindex], f.StartLine, line.Line, line.Column))
		}
		return texts
	})
}

func (c *collected) sums(texts func(location int) []string) stacks {
	all := stacks{}
	for _, s := range c.Samples {
		var names []string
		for _, i := range c.StackTable[s.StackIndex].LocationIndices {
			names = append(names, texts(i)...)
		}
		for _, value := range s.Values {
			all[strings.Join(names, ";")] += int64(value)
		}
	}
	return all
}

// detailsOf are the details of a column of a profile of pprof.
func detailsOf(p *profile.Profile, kind string) stacks {
	all := stacks{}
	for column, t := range p.SampleType {
		if t.Type+":"+t.Unit != kind {
			continue
		}
		for _, s := range p.Sample {
			if s.Value[column] != 0 {
				all[detailText(s)] += s.Value[column]
			}
		}
	}
	return all
}

func detailText(s *profile.Sample) string {
	var texts []string
	for _, l := range s.Location {
		m := l.Mapping
		if m == nil {
			m = &profile.Mapping{}
		}
		texts = append(texts, fmt.Sprintf("%#x of %s %s", l.Address, m.File, m.BuildID))
		for _, line := range l.Line {
			f := line.Function
			texts = append(texts, fmt.Sprintf("%s %s %s:%d:%d:%d", f.Name, f.SystemName, f.Filename, f.StartLine, line.Line, line.Column))
		}
	}
	return strings.Join(texts, ";")
}
