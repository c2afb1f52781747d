package truth

// Unknown stands for a number that the program cannot know, such as the bytes that an exception takes.
const Unknown = -1 << 40

// Values are amounts, in the order of a heap profile's sample types.
type Values [4]int64

// The indexes of Values.
const (
	AllocObjects = iota
	AllocBytes
	InuseObjects
	InuseBytes
)

// Blocks are the amounts of blocks of one size, of which some are still in use.
func Blocks(size, allocated, inUse int64) Values {
	return Values{allocated, allocated * size, inUse, inUse * size}
}

// Add adds the other values to these.
func (v *Values) Add(other Values) {
	for i := range v {
		v[i] += other[i]
	}
}

// Outside returns the largest distance of a value outside of the bounds; 0 if all lie within.
func (v Values) Outside(least, most Values) (difference int64) {
	for i := range v {
		difference = max(difference, least[i]-v[i], v[i]-most[i])
	}
	return difference
}
