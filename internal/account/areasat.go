package account

// NamedArea is a mapping with the name that the kernel's list has for it.
type NamedArea struct {
	Range
	Name   string // a path, or [stack], [anon:…] and the like; "" for none
	Inode  bool   // it is of a file, or of shared memory
	Shared bool
}

// AreasAt returns, of a list such as /proc/self/maps, the mappings that have one of the addresses, which are ascending. If the
// list cannot be read to its end, it returns those before.
func AreasAt(path string, addresses []uint64) (found []NamedArea, err error) {
	for part, err := range parts(path) {
		if err != nil {
			return found, err
		}
		for i := range part {
			a := &part[i]
			for len(addresses) > 0 && addresses[0] < a.Start {
				addresses = addresses[1:]
			}
			if len(addresses) > 0 && addresses[0] < a.Limit {
				found = append(found, NamedArea{a.Range, string(a.name), a.inode != 0, a.shared})
			}
		}
		if len(addresses) == 0 {
			break
		}
	}
	return found, nil
}
