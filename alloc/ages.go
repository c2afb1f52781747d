//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/stack"
)

// ages are the classes that blocks in use are told apart by: the lowest age of each.
var ages = [...]time.Duration{0, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 24 * time.Hour}

// Ages is what is in use and at least as old as asked for, each stack apart by age: the label "age" is the least age of
// a class, in seconds. Blocks freed while the call reads the table of live blocks are not in it, and neither are those
// allocated in the last moment before it, about 20 ms, which is as exact as ages are measured. ErrStopped after Stop.
func (r *Recording) Ages(oldest time.Duration) (*Snapshot, error) {
	return r.snapshot(func(read *reader) []stack.Sample {
		sums := make(map[aged]weight)
		read.blocks(func(b block) {
			if age, known := ageOf(read.ticks - b.born); known && age >= oldest {
				class := aged{wholeOf(b.site), classOf(age)}
				sums[class] = sums[class].plus(b.weight)
			}
		})
		return read.aged(sums)
	})
}

// ageOf is the age of a block so many ticks old; unknown if it was allocated as the tables were settled, or after that,
// which makes the number wrap.
func ageOf(ticks uint32) (age time.Duration, known bool) {
	const notYet = 1<<32 - 1<<16
	return time.Duration(ticks) * cgo.Tick, ticks != 0 && ticks < notYet
}

// aged is a site and the class of age of its blocks.
type aged struct {
	site  uint32
	class int
}

func classOf(age time.Duration) int {
	class := len(ages) - 1
	for age < ages[class] {
		class--
	}
	return class
}

func (r *reader) aged(sums map[aged]weight) []stack.Sample {
	keys := make([]aged, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b aged) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.class, b.class))
	})
	list := make([]stack.Sample, len(keys))
	for i, key := range keys {
		at := uint64(key.site) * refUnit
		list[i] = r.sample(at)
		list[i].ID |= uint64(key.class+1) << 32
		list[i].Labels = withAge(list[i].Labels, ages[key.class])
		list[i].InuseObjects, list[i].InuseBytes = sums[key].rounded(load64(at + uint64(cgo.SiteSize)))
	}
	return list
}

// withAge is a copy of the labels with that of the age at its place. A goroutine's own label of that key gives way.
func withAge(labels []stack.Label, age time.Duration) []stack.Label {
	added := stack.Label{Key: "age", Number: int64(age / time.Second), Unit: "seconds"}
	at, found := slices.BinarySearchFunc(labels, added.Key, func(l stack.Label, key string) int { return cmp.Compare(l.Key, key) })
	labels = slices.Clone(labels)
	if found {
		labels[at] = added
		return labels
	}
	return slices.Insert(labels, at, added)
}

// block is a live block's record.
type block struct {
	weight
	site, born uint32
}

// blocks calls f for every block of the live table.
func (r *reader) blocks(f func(block)) {
	for level := range uint64(cgo.Levels) {
		at := load64(uint64(cgo.HeaderLevels) + 8*level)
		if at == 0 {
			return
		}
		buckets := atMost(cgo.LevelBuckets<<level, cgo.BucketSize)
		for i := range uint64(buckets) * cgo.BucketSlots {
			bucket := at + i/cgo.BucketSlots*cgo.BucketSize
			if b, ok := loadBlock(bucket, i%cgo.BucketSlots); ok {
				f(b)
			}
		}
	}
}

// loadBlock reads a slot of a bucket that the program may be changing: the record counts if it reads the same twice
// under one address.
func loadBlock(bucket, slot uint64) (block, bool) {
	key, at := bucket+uint64(cgo.BucketKeys)+8*slot, bucket+uint64(cgo.BucketBlocks)+slot*cgo.BlockSize
	for {
		address := load64(key)
		if address == 0 || address == cgo.KeyReserved {
			return block{}, false
		}
		b := recordAt(at)
		if load64(key) == address && recordAt(at) == b && load64(key) == address {
			return b, true
		}
	}
}

func recordAt(at uint64) block {
	return block{
		weight: weight{load64(at + uint64(cgo.BlockWeight)), load64(at + uint64(cgo.BlockWeight) + 8)},
		site:   load32(at + uint64(cgo.BlockSite)),
		born:   load32(at + uint64(cgo.BlockBorn)),
	}
}
