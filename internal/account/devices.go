package account

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mostDevices is how many devices' files are named in the account.
const mostDevices = 4

// addDevice adds pages of an area that is of a device's file to that file's.
func (v *Survey) addDevice(a *area, n nature, s state, bytes uint64) {
	if n != device || s == swapped || bytes == 0 {
		return
	}
	if v.devices == nil {
		v.devices = make(map[string]int64)
	}
	v.devices[string(a.name)] += int64(bytes)
}

// deviceNames says how many bytes are of which file, the largest first.
func (v *Survey) deviceNames() string {
	names := slices.SortedFunc(maps.Keys(v.devices), func(x, y string) int {
		return cmp.Or(cmp.Compare(v.devices[y], v.devices[x]), cmp.Compare(x, y))
	})
	var parts []string
	for i, name := range names {
		if i == mostDevices {
			parts = append(parts, fmt.Sprintf("and %d others", len(names)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d KiB", name, v.devices[name]>>10))
	}
	return strings.Join(parts, ", ")
}
