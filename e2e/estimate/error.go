package estimate

import "math"

// Blocks are a number of blocks of one size.
type Blocks struct {
	Count, Size int
}

// Sampled is the probability that one of the blocks is sampled at a mean interval of sampleBytes.
func (b Blocks) Sampled(sampleBytes int64) float64 {
	return -math.Expm1(-float64(b.Size+1) / float64(sampleBytes))
}

// Bytes are the true bytes of all blocks.
func Bytes(all []Blocks) float64 {
	sum := 0.0
	for _, b := range all {
		sum += float64(b.Count) * float64(b.Size)
	}
	return sum
}

// Objects is the true number of blocks.
func Objects(all []Blocks) float64 {
	sum := 0.0
	for _, b := range all {
		sum += float64(b.Count)
	}
	return sum
}

// BytesError is the standard error of one estimate of Bytes.
func BytesError(all []Blocks, sampleBytes int64) float64 {
	variance := 0.0
	for _, b := range all {
		p := b.Sampled(sampleBytes)
		variance += float64(b.Count) * float64(b.Size) * float64(b.Size) * (1 - p) / p
	}
	return math.Sqrt(variance)
}

// ObjectsError is the standard error of one estimate of Objects.
func ObjectsError(all []Blocks, sampleBytes int64) float64 {
	variance := 0.0
	for _, b := range all {
		p := b.Sampled(sampleBytes)
		variance += float64(b.Count) * (1 - p) / p
	}
	return math.Sqrt(variance)
}

// Spread is the mean of some estimates and their standard deviation.
func Spread(estimates []float64) (mean, deviation float64) {
	for _, x := range estimates {
		mean += x / float64(len(estimates))
	}
	for _, x := range estimates {
		deviation += (x - mean) * (x - mean) / float64(len(estimates)-1)
	}
	return mean, math.Sqrt(deviation)
}
