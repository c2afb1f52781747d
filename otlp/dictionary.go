package otlp

import (
	"strings"

	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// dictionary has each item that profiles refer to once. An item is what it consists of: two that are encoded alike are one. The
// first item of each table is the zero value, so that index 0 means none.
type dictionary struct {
	message    *profiles.ProfilesDictionary
	strings    map[string]int32
	functions  table
	mappings   table
	locations  table
	stacks     table
	attributes table
}

// table has the index of each item, by its encoding. That of the zero value is empty.
type table map[string]int32

func newDictionary() *dictionary {
	return &dictionary{
		message: &profiles.ProfilesDictionary{
			StringTable:    []string{""},
			FunctionTable:  []*profiles.Function{{}},
			MappingTable:   []*profiles.Mapping{{}},
			LocationTable:  []*profiles.Location{{}},
			StackTable:     []*profiles.Stack{{}},
			AttributeTable: []*profiles.KeyValueAndUnit{{}},
			LinkTable:      []*profiles.Link{{TraceId: make([]byte, 16), SpanId: make([]byte, 8)}},
		},
		strings:   map[string]int32{"": 0},
		functions: table{"": 0}, mappings: table{"": 0}, locations: table{"": 0}, stacks: table{"": 0}, attributes: table{"": 0},
	}
}

// text returns the index of a string. A message must have UTF-8.
func (d *dictionary) text(s string) int32 {
	if i, is := d.strings[s]; is {
		return i
	}
	valid := strings.ToValidUTF8(s, "\uFFFD")
	i, is := d.strings[valid]
	if !is {
		i = int32(len(d.message.StringTable))
		d.message.StringTable = append(d.message.StringTable, valid)
		d.strings[valid] = i
	}
	d.strings[s] = i
	return i
}

// index returns the index of an item in a table, and adds it to the list if it is new.
func index[M proto.Message](of table, list *[]M, item M) (int32, error) {
	key, err := proto.MarshalOptions{Deterministic: true}.Marshal(item)
	if err != nil {
		return 0, err
	}
	i, is := of[string(key)]
	if !is {
		i = int32(len(*list))
		*list = append(*list, item)
		of[string(key)] = i
	}
	return i, nil
}
