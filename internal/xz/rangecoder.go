package xz

import "encoding/binary"

// prob is the probability that a bit is 0, in 2048ths. It moves by a 32nd towards what is seen.
type prob = uint16

const (
	probBits = 11
	evenProb = 1 << (probBits - 1)
	moveBits = 5
)

// rangeDecoder reads bits that are coded as a number: the interval of width size that code lies in is divided in the
// proportion of the probabilities, and the part that code lies in is the bit.
type rangeDecoder struct {
	in         []byte
	size, code uint32
	short      bool // something was read beyond the end
}

func newRangeDecoder(in []byte) (*rangeDecoder, bool) {
	if len(in) < 5 || in[0] != 0 {
		return nil, false
	}
	return &rangeDecoder{in: in[5:], size: 0xffffffff, code: binary.BigEndian.Uint32(in[1:])}, true
}

// finished reports whether the input ended where the data did.
func (r *rangeDecoder) finished() bool { return !r.short && len(r.in) == 0 && r.code == 0 }

// fill reads the next byte when the interval has become narrow.
func (r *rangeDecoder) fill() {
	if r.size >= 1<<24 {
		return
	}
	r.size <<= 8
	r.code <<= 8
	if len(r.in) == 0 {
		r.short = true
		return
	}
	r.code |= uint32(r.in[0])
	r.in = r.in[1:]
}

func (r *rangeDecoder) bit(p *prob) uint32 {
	bound := (r.size >> probBits) * uint32(*p)
	if r.code < bound {
		r.size = bound
		*p += (1<<probBits - *p) >> moveBits
		r.fill()
		return 0
	}
	r.size -= bound
	r.code -= bound
	*p -= *p >> moveBits
	r.fill()
	return 1
}

// evenBits reads bits that are as likely 0 as 1, the highest first.
func (r *rangeDecoder) evenBits(count uint32) (value uint32) {
	for range count {
		r.size >>= 1
		bit := uint32(0)
		if r.code >= r.size {
			r.code -= r.size
			bit = 1
		}
		r.fill()
		value = value<<1 | bit
	}
	return value
}

// tree reads a number whose bits have probabilities that depend on the bits before them, the highest first. The length
// of probs is a power of two; probs[0] is not used.
func (r *rangeDecoder) tree(probs []prob) uint32 {
	node := uint32(1)
	for node < uint32(len(probs)) {
		node = node<<1 | r.bit(&probs[node])
	}
	return node - uint32(len(probs))
}

// reverseTree is tree with the lowest bit first.
func (r *rangeDecoder) reverseTree(probs []prob, bits uint32) (value uint32) {
	node := uint32(1)
	for i := range bits {
		bit := r.bit(&probs[node])
		node = node<<1 | bit
		value |= bit << i
	}
	return value
}
