package elffile

import "encoding/binary"

// fast expands most of a block: as long as neither the input nor the output is near its end, nothing needs to be checked
// but the distance. What stops it is left to block, which reads it again. The registers of the inflater are in variables
// here, which the compiler keeps in registers of the machine.
func (d *inflater) fast() error {
	dst, src, out, in, bits, count := d.dst, d.src, d.out, d.in, d.bits, d.count
	literals, dists := &d.literals, &d.dists
	for in <= len(src)-16 && out <= len(dst)-fastMargin {
		bits |= binary.LittleEndian.Uint64(src[in:]) << (count & 63)
		in += int(63-count) >> 3
		count |= 56
		e := literals.table[bits&(1<<tableBits-1)]
		if e.kind() == kindLiteral {
			bits, count = bits>>(e&63), count-e.length()
			dst[out] = byte(e >> 16)
			out++
			if e = literals.table[bits&(1<<tableBits-1)]; e.kind() == kindLiteral {
				bits, count = bits>>(e&63), count-e.length()
				dst[out] = byte(e >> 16)
				out++
				e = literals.table[bits&(1<<tableBits-1)]
			}
			bits |= binary.LittleEndian.Uint64(src[in:]) << (count & 63)
			in += int(63-count) >> 3
			count |= 56
		}
		if e.kind() == kindSecond {
			e = literals.decode(bits)
		}
		if e.kind() == kindLiteral {
			bits, count = bits>>(e&63), count-e.length()
			dst[out] = byte(e >> 16)
			out++
			continue
		}
		if e.kind() != kindCount {
			break
		}
		bits, count = bits>>(e&63), count-e.length()
		n := int(e.base()) + int(bits&(1<<e.extra()-1))
		bits, count = bits>>e.extra(), count-e.extra()
		if e = dists.table[bits&(1<<tableBits-1)]; e.kind() == kindSecond {
			e = dists.decode(bits)
		}
		bits, count = bits>>(e&63), count-e.length()
		distance := int(e.base()) + int(bits&(1<<e.extra()-1))
		bits, count = bits>>e.extra(), count-e.extra()
		if e.kind() != kindCount || distance > out {
			return errInflate
		}
		repeat(dst[out-distance:out+n+8], distance, n)
		out += n
	}
	d.out, d.in, d.bits, d.count = out, in, bits, count
	return nil
}

// fastMargin is more than one turn of the fast loop writes: three literals, or a match of 258 and the bytes that are
// copied with its last one.
const fastMargin = 280

// repeat copies n bytes from the beginning of a slice to a distance from there, as often over itself as it takes. It may
// write up to 7 more.
func repeat(b []byte, distance, n int) {
	if distance < 8 {
		for i := range n {
			b[distance+i] = b[i]
		}
		return
	}
	to := b[distance:]
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(b[i:]))
	}
}
