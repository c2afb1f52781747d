package tables

import (
	"math"
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
)

// Block is the record of a live block.
type Block struct {
	Weight
	Site     uint32
	Reported bool // by the program: it need not lie in memory of malloc's
	Lost     bool // it was freed, and that could not be recorded
	Address  uint64
	born     uint64 // in ticks
}

// Blocks calls f for every block of the live table. Of a table that was damaged, it visits at most as many buckets as the region has room for.
func (r *Reader) Blocks(f func(Block)) {
	g := r.region
	left := g.atMost(math.MaxUint64, layout.SizeofBucket)
	for level := range uint64(layout.Levels) {
		at := g.Load64(layout.HeaderLevels + 8*level)
		if at == 0 {
			return
		}
		buckets := min(g.atMost(layout.LevelBuckets<<level, layout.SizeofBucket), left)
		left -= buckets
		for i := range uint64(buckets) * layout.BucketSlots {
			bucket := at + i/layout.BucketSlots*layout.SizeofBucket
			if b, ok := g.loadBlock(bucket, i%layout.BucketSlots); ok {
				f(b)
			}
		}
	}
}

// SizeOf returns the size of a block that the program asked for.
func (r *Reader) SizeOf(b *Block) uint64 {
	if size := r.region.Load64(Offset(b.Site) + layout.SiteSize); size != layout.SiteMixed {
		return size
	}
	return b.Bytes.Low << 12 / max(1, b.Objects.Low)
}

// OnDevice reports whether the block lies in memory of a device.
func (r *Reader) OnDevice(b *Block) bool { return b.Reported && r.place(b.Site) == layout.SiteOnDevice }

// DeviceOf returns what the labels of a block in memory of a device say of where it is: "GPU 0"; "" if nothing.
func (r *Reader) DeviceOf(b *Block) string {
	for _, l := range r.labels.of(r.labels.number(r.region.Load32(Offset(b.Site) + layout.SiteLabels))) {
		if l.Key == "device" {
			return l.Text
		}
	}
	return ""
}

// Pinned reports whether the block is memory of the host that is pinned for a device.
func (r *Reader) Pinned(b *Block) bool { return b.Reported && r.place(b.Site) == layout.SitePinned }

// Registered reports whether the block is memory of the host that is somebody's already, and registered with a driver.
func (r *Reader) Registered(b *Block) bool {
	return b.Reported && r.place(b.Site) == layout.SiteRegistered
}

// Age returns how old a block was when the tables were settled; unknown if it is younger.
func (r *Reader) Age(b *Block) (age time.Duration, known bool) { return ageOf(r.Ticks, b.born) }

// Of returns the weight of as many objects as w has, each of so many bytes, in 1/256 byte.
func (w Weight) Of(bytes uint64) Weight {
	product := w.Objects.Times(bytes) // in units of 2^-24
	return Weight{w.Objects, Amount{product.High >> 20, product.Low>>20 | product.High<<44}}
}

// StackOf returns a number that all blocks of one stack have in common, whatever their sizes and labels.
func (r *Reader) StackOf(b *Block) uint32 { return r.region.Load32(Offset(b.Site) + layout.SiteStack) }

// ID returns the ID of the sample that the block counts in.
func (r *Reader) ID(b *Block) uint64 { return Offset(b.Site) / refUnit }

// Born returns when the block was allocated, in ticks.
func (b *Block) Born() uint64 { return b.born }

// Variance estimates the variance that the block, of a size, adds to a sum of bytes, without bias: (1−p)(size/p)², where it was
// sampled with the chance p and stands for 1/p blocks.
func (b *Block) Variance(size uint64) float64 {
	blocks := float64(b.Objects.Low) / (1 << 16)
	return float64(size) * float64(size) * blocks * max(0, blocks-1)
}

// loadBlock reads a slot of a bucket that the program may be changing: it reads the record twice, and the address before,
// between and after.
func (g Region) loadBlock(bucket, slot uint64) (Block, bool) {
	key, at := bucket+layout.BucketKeys+8*slot, bucket+layout.BucketBlocks+slot*layout.SizeofBlock
	for {
		addresses := [3]uint64{g.Load64(key)}
		if addresses[0] == 0 || addresses[0] == layout.KeyReserved {
			return Block{}, false
		}
		var records [2]Block
		for i := range records {
			records[i] = g.recordAt(at)
			addresses[i+1] = g.Load64(key)
		}
		if alike(addresses, records) {
			records[0].Address = addresses[0]
			return records[0], true
		}
	}
}

// alike reports whether two reads of a record agree under one address: only then is it the record of one block.
func alike(addresses [3]uint64, records [2]Block) bool {
	return addresses[0] == addresses[1] && addresses[1] == addresses[2] && records[0] == records[1]
}

func (g Region) recordAt(at uint64) Block {
	objects, bytes := g.Load64(at+layout.BlockWeight), g.Load64(at+layout.BlockWeight+8)
	return Block{
		Weight:   Weight{Amount{Low: objects & (1<<layout.BlockObjectBits - 1)}, Amount{Low: bytes}},
		Site:     g.Load32(at + layout.BlockSite),
		born:     (objects>>layout.BlockObjectBits<<32 | uint64(g.Load32(at+layout.BlockBorn))) & (1<<layout.BlockBornBits - 1),
		Reported: objects&layout.BlockReported != 0,
		Lost:     objects&layout.BlockLost != 0,
	}
}
