package pclntab

import "encoding/binary"

// none is the value where a pc table has no entry.
const none = -1

// value looks up a pc table: pairs of a change of the value and the number of instructions that have it, both as varints,
// the change zigzag-coded, from −1 at the function's entry; a change of 0 that is not the first ends it. No table is at
// offset 0.
func (t *Table) value(table uint32, distance uint64) int32 {
	if table == 0 {
		return none
	}
	data := from(t.pcs, uint64(table))
	value, reached := int32(none), uint64(0)
	for first := true; ; first = false {
		change, n := varint(data)
		if n == 0 || change == 0 && !first {
			return none
		}
		count, m := varint(data[n:])
		if m == 0 || !t.spend(1) {
			return none
		}
		value += int32(-(change & 1) ^ (change >> 1))
		reached += uint64(count) * t.module.header.quantum
		if distance < reached {
			return value
		}
		data = data[n+m:]
	}
}

// varint reads a number of at most 32 bits; n is 0 if there is none.
func varint(data []byte) (value uint32, n int) {
	long, n := binary.Uvarint(data[:min(len(data), binary.MaxVarintLen32)])
	return uint32(long), max(n, 0)
}

// spend counts steps, and returns false when there were too many.
func (t *Table) spend(steps int) bool {
	t.steps += steps
	return t.steps <= stepLimit
}
