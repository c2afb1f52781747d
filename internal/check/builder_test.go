package check

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// draft is a profile to be written as it stands, right or wrong.
type draft struct {
	strings   []string
	types     []valueType
	period    *valueType
	mappings  []mapping
	functions []function
	locations []location
	samples   []sample
	numbers   map[uint64]int64 // fields of the profile itself
	tail      []byte           // comes last
}

const (
	fieldDropFrames  = 7
	fieldTime        = 9
	fieldDuration    = 10
	fieldPeriod      = 12
	fieldComment     = 13
	fieldDefaultType = 14
)

// healthy is a profile of a named and an unnamed location in a main binary, with no fault.
func healthy() *draft {
	d := &draft{}
	whole := mapping{limit: math.MaxUint64, file: d.text("/usr/bin/service"), buildID: d.text("c0ffee")}
	named := whole
	whole.id, named.id, named.functions = 1, 2, true
	d.mappings = []mapping{whole, named}
	d.functions = []function{{id: 1, name: d.text("main.leak"), system: d.text("main.leak"), file: d.text("leak.go"), startLine: 7}}
	d.locations = []location{{id: 1, mapping: 2, address: 0x1000, lines: []uint64{1}}, {id: 2, mapping: 1, address: 0x1000}}
	d.types = []valueType{{d.text("inuse_objects"), d.text("count")}, {d.text("inuse_space"), d.text("bytes")}}
	d.period = &valueType{d.text("space"), d.text("bytes")}
	d.samples = []sample{
		{locations: []uint64{1, 2}, values: []int64{1, 16}, labels: []label{{key: d.text("bytes"), number: 16, unit: d.text("bytes")}}},
		{locations: []uint64{2}, values: []int64{0, 5}, labels: []label{{key: d.text("heap"), text: d.text("go")}}},
	}
	d.numbers = map[uint64]int64{
		fieldTime: 1_700_000_000_000_000_000, fieldPeriod: 512 << 10, fieldDefaultType: d.text("inuse_space"), fieldComment: d.text("a comment"),
	}
	return d
}

// text returns the index of a string, which is put into the table if it is not there.
func (d *draft) text(s string) int64 {
	if d.strings == nil {
		d.strings = []string{""}
	}
	if i := slices.Index(d.strings, s); i >= 0 {
		return int64(i)
	}
	d.strings = append(d.strings, s)
	return int64(len(d.strings) - 1)
}

// wire builds one message.
type wire struct{ bytes.Buffer }

func (w *wire) uvarint(v uint64) { w.Write(binary.AppendUvarint(nil, v)) }

func (w *wire) number(field, value uint64) {
	if value != 0 {
		w.uvarint(field << 3)
		w.uvarint(value)
	}
}

func (w *wire) content(field uint64, content []byte) {
	w.uvarint(field<<3 | kindBytes)
	w.uvarint(uint64(len(content)))
	w.Write(content)
}

// message writes a message whose fields, from 1, are numbers.
func (w *wire) message(field uint64, numbers ...uint64) { w.content(field, message(numbers...)) }

func message(numbers ...uint64) []byte {
	var w wire
	for i, v := range numbers {
		w.number(uint64(i+1), v)
	}
	return w.Bytes()
}

func (d *draft) encode() []byte {
	var w wire
	for _, t := range d.types {
		w.message(1, uint64(t.kind), uint64(t.unit))
	}
	for i := range d.samples {
		w.content(2, d.samples[i].encode())
	}
	for _, m := range d.mappings {
		functions := uint64(0)
		if m.functions {
			functions = 1
		}
		w.message(3, m.id, m.start, m.limit, m.offset, uint64(m.file), uint64(m.buildID), functions)
	}
	for _, l := range d.locations {
		var inner wire
		inner.Write(message(l.id, l.mapping, l.address))
		for _, f := range l.lines {
			inner.message(4, f, 1)
		}
		w.content(4, inner.Bytes())
	}
	for _, f := range d.functions {
		w.message(5, f.id, uint64(f.name), uint64(f.system), uint64(f.file), uint64(f.startLine))
	}
	for _, s := range d.strings {
		w.content(6, []byte(s))
	}
	for field, v := range d.numbers {
		w.number(field, uint64(v))
	}
	if d.period != nil {
		w.message(11, uint64(d.period.kind), uint64(d.period.unit))
	}
	w.Write(d.tail)
	return w.Bytes()
}

// encode writes the locations packed and the values one by one, so that both forms are read.
func (s *sample) encode() []byte {
	var w, packed wire
	for _, id := range s.locations {
		packed.uvarint(id)
	}
	w.content(1, packed.Bytes())
	for _, v := range s.values {
		w.uvarint(2 << 3)
		w.uvarint(uint64(v))
	}
	for _, l := range s.labels {
		w.message(3, uint64(l.key), uint64(l.text), uint64(l.number), uint64(l.unit))
	}
	return w.Bytes()
}
