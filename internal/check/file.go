package check

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// A gzipped profile of 70 KB may have 70 MB when it is unpacked, in samples of two bytes that take a reader 160 each; and a sample
// may refer again and again to one name of a megabyte. So what a profile takes is counted before anything is made of it, and must be
// in proportion to the file. Those of cgoheap, of Go and of perf are 3 to 10 times as large unpacked, and take their readers 5 to 25
// times that.
const (
	maxBytes  = 256 << 20 // of the file, and of what is in it: 64 times Pyroscope's limit
	maxMemory = 2 << 30
	maxText   = 4 << 30 // bytes of names, counted each time that something refers to them

	freeBytes, bytesPerByte   = 16 << 20, 64
	freeMemory, memoryPerByte = 128 << 20, 600
)

// File is a profile that was read.
type File struct {
	Packed []byte // as it was written
	Raw    []byte // uncompressed
}

// Read reads a profile in pprof's format, gzipped or not. It is an error if the bytes are not a profile, or if google/pprof would
// take much more memory or time for it than for any real one.
func Read(r io.Reader) (*File, error) {
	f, _, err := open(r)
	return f, err
}

// open also returns the checker, which has checked all but the samples.
func open(r io.Reader) (*File, *checker, error) {
	f, err := uncompressed(r)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a profile: %w", err)
	}
	c := &checker{size: len(f.Raw)}
	c.budget = budget{bounded(f.Packed, freeMemory, memoryPerByte, maxMemory), maxText}
	c.weigh(f.Raw)
	if c.tables = c.readTables(f.Raw); c.err == nil {
		c.checkTables()
		c.weighTexts(f.Raw)
	}
	if c.err != nil {
		return nil, nil, fmt.Errorf("this is not a profile in pprof's format: %w", c.err)
	}
	return f, c, nil
}

func bounded(file []byte, free, perByte, most int) int { return min(free+perByte*len(file), most) }

var errEmpty = errors.New("there is no data")

// uncompressed reads all bytes. The capacity of Raw is its length.
func uncompressed(r io.Reader) (*File, error) {
	packed, err := readAll(r, maxBytes)
	if err != nil {
		return nil, err
	}
	raw := packed
	if bytes.HasPrefix(packed, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		if raw, err = readAll(z, bounded(packed, freeBytes, bytesPerByte, maxBytes)); err != nil {
			return nil, fmt.Errorf("unpacking its %d bytes: %w", len(packed), err)
		}
	}
	if len(raw) == 0 {
		return nil, errEmpty
	}
	return &File{packed, raw[:len(raw):len(raw)]}, nil
}

func readAll(r io.Reader, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// What google/pprof takes in memory for each part of a profile, at least: the struct, what refers to it, and where it is looked up by
// its ID. The values and frames of a sample are in slices that double.
const (
	costType      = 80
	costSample    = 160
	costFrame     = 24
	costValue     = 16
	costLabel     = 400
	costLabelled  = 900 // the maps of a sample that has labels
	costMapping   = 240
	costLocation  = 190
	costLine      = 64
	costFunction  = 220
	costString    = 48 // and its bytes
	costReference = 60 // a comment
	costShown     = 40 // a line of a sample's location, in a tree
)

// budget is what a profile may take.
type budget struct{ memory, text int }

func (d *decoder) takeMemory(n int) {
	if d.budget.memory -= n; d.budget.memory < 0 && d.err == nil {
		d.err = errors.New("it would take far more memory than a profile of this size does")
	}
}

func (d *decoder) takeText(n int) {
	if d.budget.text -= n; d.budget.text < 0 && d.err == nil {
		d.err = errors.New("its samples refer to far more text than those of a profile do")
	}
}

// weigh counts what the profile takes in memory.
func (d *decoder) weigh(message []byte) {
	d.each(message, func(f field) {
		switch f.number {
		case 1, 11:
			d.takeMemory(costType)
		case 2:
			d.takeMemory(costSample)
			d.weighSample(f.bytes)
		case 3:
			d.takeMemory(costMapping)
		case 4:
			d.takeMemory(costLocation)
			d.each(f.bytes, func(f field) {
				if f.number == 4 {
					d.takeMemory(costLine)
				}
			})
		case 5:
			d.takeMemory(costFunction)
		case 6:
			d.takeMemory(costString + len(f.bytes))
		case 13:
			d.takeMemory(costReference * count(f))
		}
	})
}

func (d *decoder) weighSample(message []byte) {
	labelled := false
	d.each(message, func(f field) {
		switch f.number {
		case 1:
			d.takeMemory(costFrame * count(f))
		case 2:
			d.takeMemory(costValue * count(f))
		case 3:
			if d.takeMemory(costLabel); !labelled {
				d.takeMemory(costLabelled)
			}
			labelled = true
		}
	})
}

// count returns how many numbers a field has.
func count(f field) (n int) {
	if f.kind != kindBytes {
		return 1
	}
	for _, b := range f.bytes {
		if b < 0x80 { // the last byte of a number
			n++
		}
	}
	return n
}

// weighTexts counts the names and lines that samples refer to. What holds a sample's blocks is called by two of its functions, and that
// text may be another one for each sample.
func (c *checker) weighTexts(raw []byte) {
	type texts struct{ all, longest, lines int }
	of := make([]texts, len(c.locations))
	for i := range c.locations {
		of[i].lines = len(c.locations[i].lines)
		for _, id := range c.locations[i].lines {
			if at, ok := c.functionIDs.index(id); ok {
				name := len(c.lookup(c.functions[at].name))
				of[i].all += name + len(c.lookup(c.functions[at].file))
				of[i].longest = max(of[i].longest, name)
			}
		}
	}
	c.eachSample(raw, func(_ int, s *sample) {
		longest := 0
		for _, id := range s.locations {
			if at, ok := c.locationIDs.index(id); ok {
				c.takeText(of[at].all)
				c.takeMemory(costShown * of[at].lines)
				longest = max(longest, of[at].longest)
			}
		}
		for _, l := range s.labels {
			c.takeText(len(c.lookup(l.key)) + len(c.lookup(l.text)) + len(c.lookup(l.unit)))
		}
		c.takeMemory(2 * longest)
	})
}
