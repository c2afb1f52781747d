package account

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// nature is the kind of a mapping as the kernel reports it, which does not know what the mapping is for.
type nature uint8

const (
	anonymous nature = iota
	brk              // the program break, from which malloc takes memory
	mainStack
	file         // pages of a file, as they are there
	fileCode     // of a mapping that is executable
	fileWritten  // pages that were a file's until the process wrote to them
	sharedMemory // memory in the form of a file that is on no disk
	device       // pages that a driver has mapped from a device's file
	kernel       // the vdso and its like
	natures
)

// sharedNames are the prefixes of the names of shared memory: memory of shm_open, shmget, memfd_create, memfd_secret, and of an
// anonymous shared mapping.
var sharedNames = [][]byte{[]byte("/dev/shm/"), []byte("/SYSV"), []byte("/memfd:"), []byte("/dev/zero"), []byte("/secretmem"), []byte("[anon_shmem:")}

// devices is where devices have their files: /dev/nvidia0, /dev/nvidia-uvm, /dev/dri/renderD128, /dev/kfd. What else is memory there has a
// name of the two lists.
var devices = []byte("/dev/")

// hugeNames are the prefixes of the names of huge pages that were reserved beforehand. RSS does not count them.
var hugeNames = [][]byte{[]byte("/anon_hugepage"), []byte("/dev/hugepages/"), []byte("/memfd:hugetlb")}

func beginsWithAny(name []byte, beginnings [][]byte) bool {
	for _, b := range beginnings {
		if bytes.HasPrefix(name, b) {
			return true
		}
	}
	return false
}

// nature returns the nature of an area's pages, except pages that were written to privately.
func (a *area) nature() nature {
	switch {
	case bytes.Equal(a.name, []byte("[heap]")):
		return brk
	case bytes.Equal(a.name, []byte("[stack]")):
		return mainStack
	case !a.shared && string(a.name) == "/dev/zero": // a private mapping of it is of no file
		return anonymous
	case beginsWithAny(a.name, sharedNames):
		return sharedMemory
	case len(a.name) == 0 || bytes.HasPrefix(a.name, []byte("[anon")):
		return anonymous
	case a.name[0] == '[':
		return kernel
	case bytes.HasPrefix(a.name, devices):
		return device
	case a.exec:
		return fileCode
	}
	return file
}

// huge reports whether the area's pages are outside of RSS.
func (a *area) huge() bool { return beginsWithAny(a.name, hugeNames) }

// ofFile reports whether the nature of a page depends on whether it is still the file's.
func (n nature) ofFile() bool { return n.copies() || n == sharedMemory || n == device }

// copies reports whether a page of it that was written to privately is one of fileWritten.
func (n nature) copies() bool { return n == file || n == fileCode || n == kernel }

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
