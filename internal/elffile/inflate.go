package elffile

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
)

// Compressed debug sections are the larger part of what naming an address costs, so they are inflated here rather than
// with compress/zlib. A section's size is known and all of it is wanted at once: so input and output are plain slices,
// a match is copied from the output itself, several bytes at a time, and nothing is copied twice (RFC 1950, RFC 1951).

var errInflate = errors.New("zlib: invalid data")

// inflateInto expands a zlib stream that is exactly as long as dst.
func inflateInto(dst, src []byte) error {
	const deflate, dictionary = 8, 0x20
	if len(src) < 6 || src[0]&0xf != deflate || src[1]&dictionary != 0 || binary.BigEndian.Uint16(src)%31 != 0 {
		return errInflate
	}
	d := inflater{dst: dst, src: src[2:]}
	if err := d.run(); err != nil {
		return err
	}
	if rest := d.rest(); len(rest) < 4 || binary.BigEndian.Uint32(rest) != adler32.Checksum(dst) {
		return errInflate
	}
	return nil
}

type inflater struct {
	dst, src        []byte
	out, in         int    // how much of them is done
	bits            uint64 // the next bits of the input, lowest first
	count           uint   // how many they are
	missing         uint   // bits beyond the end of the input that were made up: they must not be used
	literals, dists huffman
	lengths         [maxLiterals + maxDistances]uint8
}

func (d *inflater) run() error {
	for last := false; !last; {
		d.refill()
		last = d.take(1) == 1
		var err error
		switch d.take(2) {
		case 0:
			err = d.stored()
		case 1:
			d.fixedCodes()
			err = d.block()
		case 2:
			if err = d.dynamicCodes(); err == nil {
				err = d.block()
			}
		default:
			err = errInflate
		}
		if err != nil {
			return err
		}
	}
	if d.out != len(d.dst) || d.missing > d.count {
		return errInflate
	}
	return nil
}

// refill makes sure of at least 56 bits. Behind the end of the input there are zeros.
func (d *inflater) refill() {
	if len(d.src)-d.in >= 8 {
		d.bits |= binary.LittleEndian.Uint64(d.src[d.in:]) << d.count
		d.in += int(63-d.count) >> 3
		d.count |= 56
		return
	}
	for d.count <= 56 {
		if d.in < len(d.src) {
			d.bits |= uint64(d.src[d.in]) << d.count
			d.in++
		} else {
			d.missing += 8
		}
		d.count += 8
	}
}

// take consumes up to 16 of the bits.
func (d *inflater) take(n uint) uint32 {
	value := uint32(d.bits) & (1<<n - 1)
	d.bits >>= n
	d.count -= n
	return value
}

// rest is the input from the next whole byte on.
func (d *inflater) rest() []byte {
	if d.missing > 0 {
		whole := int(d.count-d.missing) / 8
		return d.src[d.in-whole:]
	}
	return d.src[d.in-int(d.count/8):]
}

// stored copies a block that is not compressed.
func (d *inflater) stored() error {
	if d.missing > d.count {
		return errInflate
	}
	rest := d.rest()
	if len(rest) < 4 {
		return errInflate
	}
	n := int(binary.LittleEndian.Uint16(rest))
	if n != int(^binary.LittleEndian.Uint16(rest[2:])) || n > len(rest)-4 || n > len(d.dst)-d.out {
		return errInflate
	}
	d.out += copy(d.dst[d.out:], rest[4:4+n])
	d.in = len(d.src) - len(rest) + 4 + n
	d.bits, d.count, d.missing = 0, 0, 0
	return nil
}

// block expands a block with the codes that the tables hold.
func (d *inflater) block() error {
	for {
		if err := d.fast(); err != nil {
			return err
		}
		d.refill()
		if d.missing > d.count {
			return errInflate
		}
		e := d.literals.decode(d.bits)
		for e.kind() == kindLiteral && d.count >= neededBits && d.out < len(d.dst) {
			d.drop(e)
			d.dst[d.out] = byte(e.base())
			d.out++
			e = d.literals.decode(d.bits)
		}
		switch e.kind() {
		case kindLiteral:
			if d.out == len(d.dst) {
				return errInflate
			}
		case kindCount:
			if err := d.match(e); err != nil {
				return err
			}
		case kindEnd:
			d.drop(e)
			return nil
		default:
			return errInflate
		}
	}
}

// neededBits is the most that a match takes: a code of 15 bits and 5 more for the length, 15 and 13 for the distance.
const neededBits = 48

func (d *inflater) drop(e code) {
	d.bits >>= e.length()
	d.count -= e.length()
}

// match copies what was there before, with a length whose code has been decoded.
func (d *inflater) match(e code) error {
	if d.count < neededBits {
		d.refill()
	}
	d.drop(e)
	n := int(e.base() + d.take(e.extra()))
	e = d.dists.decode(d.bits)
	if e.kind() != kindCount {
		return errInflate
	}
	d.drop(e)
	distance := int(e.base() + d.take(e.extra()))
	if distance > d.out || n > len(d.dst)-d.out {
		return errInflate
	}
	for range n {
		d.dst[d.out] = d.dst[d.out-distance]
		d.out++
	}
	return nil
}
