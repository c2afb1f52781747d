//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "loads.h"
import "C"

// Loads identifies a set of loaded libraries, for an index of them: it must be read before the libraries are listed. Values
// are comparable.
type Loads C.struct_loads

// ReadLoads reads the loader's state. One caller at a time.
func ReadLoads() (l Loads) {
	C.loads_read((*C.struct_loads)(&l))
	return l
}

// Count returns how many libraries had been loaded until then.
func (l *Loads) Count() uint64 { return uint64(l.count) }

// Watched reports whether a walk can see that a library has been loaded since.
func (l *Loads) Watched() bool { return l.adds > 0 }

// During reports whether an object, whose state of the loader's list is seen, was there when l was read, and no library has been
// loaded or closed since then.
func (l *Loads) During(seen uint64) bool {
	loads := (*C.struct_loads)(l)
	then := uint64(C.loads_then(loads))
	return then != 0 && seen == then && uint64(C.loads_now(loads)) == then
}

// PermanentBiases returns the load biases (runtime − ELF address) of the libraries that cannot be unloaded.
func PermanentBiases() []uint64 { return biases(true) }

// LoadedBiases returns the load biases of all libraries that the loader lists and counts now.
func LoadedBiases() []uint64 { return biases(false) }

func biases(forever bool) []uint64 {
	list := make([]uint64, 64)
	for {
		n := int(C.loads_biases(C.bool(forever), (*C.uint64_t)(&list[0]), C.size_t(len(list))))
		if n <= len(list) {
			return list[:n]
		}
		list = make([]uint64, n+16) // there may be more the next time
	}
}
