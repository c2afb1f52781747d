package xz

import "github.com/cgoheap/cgoheap/internal/scratch"

// decoder reads LZMA2: chunks that are copied or decoded with LZMA, each of at most 64 KiB in and 2 MiB out.
type decoder struct {
	in     []byte // what is still to be read
	out    []byte
	memory *scratch.Memory // of out
	limit  int
	dict   int // where in out the dictionary begins
	lzma   lzma

	resets    int
	needDict  bool // the next chunk must begin a dictionary,
	needProps bool // the next LZMA chunk must say its properties,
	needState bool // and must begin with fresh probabilities
}

// resetLimit bounds how often the probabilities are set anew, which costs far more than the chunk that asks for it.
const resetLimit = 1 << 16

// The first byte of a chunk.
const (
	endOfChunks   = 0x00
	copyAfterDict = 0x01
	copyOn        = 0x02
	coded         = 0x80 // and two bits of what is begun anew, and five bits of the size
	resetState    = 1 << 5
	resetProps    = 2 << 5
	resetDict     = 3 << 5
)

// chunks reads the chunks of a block up to their end.
func (d *decoder) chunks() error {
	d.needDict, d.needProps, d.needState = true, true, true
	for {
		if len(d.in) == 0 {
			return errFormat
		}
		control := d.in[0]
		d.in = d.in[1:]
		var err error
		switch {
		case control == endOfChunks:
			return nil
		case control >= coded:
			err = d.codedChunk(control)
		case control == copyAfterDict || control == copyOn:
			err = d.copiedChunk(control == copyAfterDict)
		default:
			err = errFormat
		}
		if err != nil {
			return err
		}
	}
}

// begin makes room for the output of a chunk.
func (d *decoder) begin(newDict bool, size int) error {
	if newDict {
		d.dict, d.needDict = len(d.out), false
	}
	if d.needDict {
		return errFormat
	}
	if size > d.limit-len(d.out) {
		return ErrTooBig
	}
	d.out = scratch.Grow(d.memory, d.out, size)
	return nil
}

func (d *decoder) copiedChunk(newDict bool) error {
	if len(d.in) < 2 {
		return errFormat
	}
	size := bigEndian16(d.in) + 1
	d.in = d.in[2:]
	if len(d.in) < size {
		return errFormat
	}
	if err := d.begin(newDict, size); err != nil {
		return err
	}
	d.out = append(d.out, d.in[:size]...)
	d.in = d.in[size:]
	return nil
}

func (d *decoder) codedChunk(control byte) error {
	if len(d.in) < 5 {
		return errFormat
	}
	reset := control & resetDict
	size := int(control&0x1f)<<16 + bigEndian16(d.in) + 1
	length := bigEndian16(d.in[2:]) + 1
	d.in = d.in[4:]
	if reset >= resetProps {
		if !d.lzma.setProps(d.in[0]) {
			return errFormat
		}
		d.in, d.needProps = d.in[1:], false
	}
	if reset >= resetState && !d.needProps {
		if d.resets++; d.resets > resetLimit {
			return errFormat
		}
		d.lzma.reset()
		d.needState = false
	}
	if d.needProps || d.needState || len(d.in) < length {
		return errFormat
	}
	if err := d.begin(reset == resetDict, size); err != nil {
		return err
	}
	return d.decodeChunk(size, length)
}

// decodeChunk decodes length bytes, which must stand for exactly size bytes.
func (d *decoder) decodeChunk(size, length int) error {
	code, ok := newRangeDecoder(d.in[:length])
	if !ok {
		return errFormat
	}
	d.in = d.in[length:]
	end := len(d.out) + size
	out, ok := d.lzma.decode(code, d.out, d.dict, end)
	if !ok || !code.finished() {
		return errFormat
	}
	d.out = out
	return nil
}

func bigEndian16(b []byte) int { return int(b[0])<<8 | int(b[1]) }
