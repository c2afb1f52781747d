//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// ages are the classes that blocks in use are told apart by: the lowest age of each.
var ages = [...]time.Duration{0, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 24 * time.Hour}

// Ages is what is in use and at least as old as asked for, each stack apart by age: the label "age" is the least age of
// a class, in seconds. Blocks freed while the call reads the table of live blocks are not in it, and neither are those
// allocated in the last moment before it, about 20 ms, which is as exact as ages are measured, nor those whose free was lost.
// ErrStopped after Stop.
func (r *Recording) Ages(oldest time.Duration) (*Snapshot, error) { return r.AgesIn(nil, oldest) }

// AgesIn is Ages in memory, as SnapshotIn is Snapshot.
func (r *Recording) AgesIn(memory *scratch.Memory, oldest time.Duration) (*Snapshot, error) {
	return r.snapshot(memory, func(read *reader) []record {
		sums := make(map[aged]weight)
		read.blocks(func(b block) {
			if age, known := ageOf(read.ticks, b.born); known && age >= oldest && !b.lost {
				class := aged{wholeOf(b.site), classOf(age)}
				sums[class] = sums[class].plus(b.weight)
			}
		})
		return read.aged(sums)
	})
}

// ageOf is the age at a time of a block that was allocated at another; unknown if that was as the tables were settled, or
// later. Times are in ticks.
func ageOf(now, born uint64) (age time.Duration, known bool) {
	return time.Duration(min(now-born, uint64(math.MaxInt64/cgo.Tick))) * cgo.Tick, born < now
}

// classShift is where the ID of a sample has its class of age and one, above the ref of its site.
const classShift = 32

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

func (r *reader) aged(sums map[aged]weight) []record {
	keys := make([]aged, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b aged) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.class, b.class))
	})
	list := scratch.Slice[record](r.memory, len(keys))
	for i, key := range keys {
		at := uint64(key.site) * refUnit
		list[i] = r.sample(at)
		list[i].id |= uint64(key.class+1) << classShift
		list[i].labels = r.labels.add(withAge(r.labels.of(list[i].labels), ages[key.class]))
	}
	r.fillIn(list, keys, sums)
	return list
}

// fillIn sets the values of samples. From the oldest class on, it rounds the sum of a site's classes so far, and gives each
// class what it adds: so all classes together are what the site has in use.
func (r *reader) fillIn(list []record, keys []aged, sums map[aged]weight) {
	var sum weight
	var before stack.Values
	for i := len(keys) - 1; i >= 0; i-- {
		site := keys[i].site
		if i == len(keys)-1 || site != keys[i+1].site {
			sum, before = weight{}, stack.Values{}
		}
		sum = sum.plus(sums[keys[i]])
		var now stack.Values
		now.InuseObjects, now.InuseBytes = r.rounding(site).numbers(sum, load64(uint64(site)*refUnit+uint64(cgo.SiteSize)))
		list[i].InuseObjects, list[i].InuseBytes = now.InuseObjects-before.InuseObjects, now.InuseBytes-before.InuseBytes
		before = now
	}
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
	site uint32
	born uint64
	lost bool // it was freed, and that could not be recorded
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
	objects, bytes := load64(at+uint64(cgo.BlockWeight)), load64(at+uint64(cgo.BlockWeight)+8)
	return block{
		weight: weight{amount{low: objects & (1<<cgo.ObjectBits - 1)}, amount{low: bytes}},
		site:   load32(at + uint64(cgo.BlockSite)),
		born:   (objects>>cgo.ObjectBits<<32 | uint64(load32(at+uint64(cgo.BlockBorn)))) & (1<<cgo.BornBits - 1),
		lost:   objects&cgo.BlockLost != 0,
	}
}
