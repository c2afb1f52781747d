package gospans

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// Variables of each kind that the linker puts together. All are used, so that it keeps them.
var (
	plainValue   = uint64(len("without a pointer, with a value"))
	pointerValue = &plainValue
	pointerNone  *uint64
	plainNone    [2]uint64
)

// variableBounds are that many words in the runtime's moduledata: noptrdata, enoptrdata, data, edata, bss, ebss, noptrbss, enoptrbss.
const variableBounds = 8

// findVariables searches the runtime's data for the bounds of its variables: a variable of each kind lies between two of them.
func (l *Layout) findVariables() {
	witness := [variableBounds / 2]uint64{
		uint64(uintptr(unsafe.Pointer(&plainValue))), uint64(uintptr(unsafe.Pointer(&pointerValue))),
		uint64(uintptr(unsafe.Pointer(&pointerNone))), uint64(uintptr(unsafe.Pointer(&plainNone))),
	}
	defer runtime.KeepAlive(pointerNone)
	search(func(_ uint64, piece []byte) bool {
		for i := 0; i+8*variableBounds <= len(piece); i += 8 {
			var bounds [variableBounds]uint64
			for k := range bounds {
				bounds[k] = binary.NativeEndian.Uint64(piece[i+8*k:])
			}
			if divides(bounds, witness) {
				l.Data, l.BSS = [2]uint64{bounds[2], bounds[3]}, [2]uint64{bounds[4], bounds[5]}
				return true
			}
		}
		return false
	})
}

// divides reports whether each variable lies between two bounds, and no other does. The linker may put the four in any order.
func divides(bounds [variableBounds]uint64, variables [variableBounds / 2]uint64) bool {
	for i, at := range variables {
		for k := range variables {
			if inside := bounds[2*k] <= at && at < bounds[2*k+1]; inside != (i == k) {
				return false
			}
		}
	}
	return true
}
