package fastgzip

import "math/bits"

// The symbols of the first alphabet are the 256 literals, the end of the block, and 29 classes of lengths; those of the
// second are 30 classes of distances. The extra bits behind a class say which of its values is meant (RFC 1951, 3.2.5).
const (
	endOfBlock      = 256
	firstLength     = 257
	literalSymbols  = 286
	distanceSymbols = 30
	minMatch        = 3
)

// class is a symbol, the number of its extra bits, and the first of its values.
type class struct {
	symbol uint16
	extra  uint16
	first  uint16
}

var (
	lengthClasses = classesOfLengths()
	nearClasses   = classesOfDistances(0) // of distances, less 1, below 256
	farClasses    = classesOfDistances(7) // of the others, by their bits from the eighth on
)

func lengthClass(length uint16) *class { return &lengthClasses[length-minMatch] }

// distanceClass is that of a distance, less 1.
func distanceClass(distance uint16) *class {
	if distance < uint16(len(nearClasses)) {
		return &nearClasses[distance]
	}
	return &farClasses[distance>>7&255]
}

// classesOfLengths divides the lengths up to 257; the longest has a class to itself.
func classesOfLengths() (table [maxMatch - minMatch + 1]class) {
	for i := range table {
		c := divide(uint16(i), 2)
		table[i] = class{firstLength + c.symbol, c.extra, c.first + minMatch}
	}
	table[maxMatch-minMatch] = class{literalSymbols - 1, 0, maxMatch}
	return table
}

func classesOfDistances(shift int) (table [256]class) {
	for i := range table {
		table[i] = divide(uint16(i<<shift), 1)
	}
	return table
}

// divide finds v's class where each power of two is divided into 1<<fine classes of equal width.
func divide(v uint16, fine int) class {
	size := bits.Len16(v)
	if size <= fine {
		return class{symbol: v, first: v}
	}
	extra := size - 1 - fine
	return class{uint16(extra<<fine) + v>>extra, uint16(extra), v >> extra << extra}
}
