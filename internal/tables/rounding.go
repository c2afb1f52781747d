package tables

import "github.com/cgoheap/cgoheap/internal/layout"

// Profiles hold whole numbers, and estimates are not whole: a block of 600 KB that was sampled at 512 KiB stands for 1.47
// blocks. Rounding each site to the nearest number makes totals wrong by a third, because all sites of such blocks round the
// same way.
//
// So each site has its own random threshold u between 0 and 1, and x becomes floor(x + u). That is x on average, for any x:
// with x = n + f it is n + 1 where u ≥ 1 − f, which has the chance f, and n otherwise. A sum over sites is therefore right
// on average, and its error from rounding is at most half the square root of the number of sites (one standard deviation),
// far less than the error of sampling.
//
// The threshold is fixed for the site as long as the recording lasts. So:
//
//   - Two profiles of one state are equal, and what did not change has no delta.
//   - floor(x + u) never falls while x rises: counters never run backwards, and a block in use has been allocated.
//   - A difference floor(y + u) − floor(x + u) is y − x on average, because each of the two is right on average; and it is
//     y − x rounded up or down, because both sides have the same u. Deltas of one recording add up to its whole.
//   - Whole numbers do not change: with every allocation recorded, profiles are exact.
//   - A sampled block stands for at least one block, and x + 1 + u has a floor at least 1 above that of x + u: no sample and
//     no delta has bytes of a sampled block without an object.
//
// The threshold depends on the recording's seed, too, so that profiles of many processes that run the same program add up to
// the right number at each site.

// rounding is a site's threshold for each measure, in units of 2^-16.
type rounding struct {
	objects, bytes uint64
}

func (r *Reader) rounding(site uint32) rounding {
	h := mix(mix(r.Seed) + uint64(site))
	return rounding{h & 0xffff, h >> 16 & 0xffff}
}

// mix is the finalizer of MurmurHash3: every bit of x reaches every bit of the result.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// numbers returns the values of a profile for blocks of a size. If all have one size, their number determines the bytes;
// bytes are summed only if sizes are mixed. A negative sum, from blocks that are being recorded, becomes 0.
func (r rounding) numbers(w Weight, size uint64) (objects, bytes int64) {
	if w.Objects.negative() || w.Bytes.negative() {
		return 0, 0
	}
	if size == layout.SiteMixed {
		return w.Objects.Rounded(16, r.objects), w.Bytes.Rounded(4, r.bytes>>12)
	}
	return w.Objects.Rounded(16, r.objects), w.Objects.Times(size).Rounded(16, r.bytes)
}
