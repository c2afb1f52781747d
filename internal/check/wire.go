package check

import (
	"encoding/binary"
	"fmt"
)

// The wire types of the protocol buffer encoding that exist in a profile.
const (
	kindVarint  = 0
	kindFixed64 = 1
	kindBytes   = 2
	kindFixed32 = 5
)

// field is one field of a message. A reader must get its value by the type that it should have.
type field struct {
	number uint64
	kind   uint64
	value  uint64
	bytes  []byte
	at     []byte // its position
}

// decoder takes messages apart. Its first error stays, and nothing is visited after it.
type decoder struct {
	err    error
	budget budget
}

// fail records an error at the position where rest begins. All messages are slices of one buffer whose capacity ends with
// it, so the capacity is the distance from the buffer's end.
func (d *decoder) fail(rest []byte, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%s, %d bytes before the end", fmt.Sprintf(format, args...), cap(rest))
	}
}

// each visits the fields of a message in their order.
func (d *decoder) each(message []byte, visit func(field)) {
	for rest := message; len(rest) > 0 && d.err == nil; {
		f := field{at: rest}
		tag := d.uvarint(&rest)
		f.number, f.kind = tag>>3, tag&7
		switch f.kind {
		case kindVarint:
			f.value = d.uvarint(&rest)
		case kindBytes:
			f.bytes = d.take(&rest, d.uvarint(&rest))
		case kindFixed64:
			d.take(&rest, 8)
		case kindFixed32:
			d.take(&rest, 4)
		default:
			d.fail(f.at, "a field has the wire type %d", f.kind)
		}
		if f.number == 0 {
			d.fail(f.at, "a field has the number 0")
		}
		if d.err == nil {
			visit(f)
		}
	}
}

func (d *decoder) uvarint(rest *[]byte) uint64 {
	v, n := binary.Uvarint(*rest)
	if n <= 0 {
		d.fail(*rest, "a number is cut off or too long")
		return 0
	}
	*rest = (*rest)[n:]
	return v
}

func (d *decoder) take(rest *[]byte, n uint64) []byte {
	if n > uint64(len(*rest)) {
		d.fail(*rest, "a field of %d bytes is cut off", n)
		return nil
	}
	taken := (*rest)[:n]
	*rest = (*rest)[n:]
	return taken
}

// number returns the value of a field that must be a number.
func (d *decoder) number(f field) uint64 {
	if f.kind != kindVarint {
		d.fail(f.at, "field %d is not a number", f.number)
	}
	return f.value
}

// index returns the value of a field that refers to the string table.
func (d *decoder) index(f field) int64 { return int64(d.number(f)) }

// content returns the value of a field that must be a text or a message.
func (d *decoder) content(f field) []byte {
	if f.kind != kindBytes {
		d.fail(f.at, "field %d is a number", f.number)
	}
	return f.bytes
}

// numbers visits the values of a repeated number, which may be packed or one field each.
func (d *decoder) numbers(f field, visit func(uint64)) {
	if f.kind != kindBytes {
		visit(d.number(f))
		return
	}
	for rest := f.bytes; len(rest) > 0 && d.err == nil; {
		visit(d.uvarint(&rest))
	}
}
