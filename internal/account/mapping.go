package account

// Mapping is a range of addresses that a recorded call mapped, or the part of it that no recorded call has unmapped or mapped over
// since.
type Mapping struct {
	Mapped
	Length uint64 // bytes that the call asked for; of a segment of shmat, the bytes of it that are attached

	Shared  bool // by MAP_SHARED, or a segment of shmat
	File    bool // of a file, not anonymous
	Unknown bool // whether it is shared or a file: mremap moved memory of no recorded call, or it has huge pages
}

// Fits reports whether a range of the kernel's list can be this one, by the list's letter for sharing and whether it has an
// inode, as files and shared memory have. If it cannot be, calls that were not recorded have unmapped the range and mapped
// another one at its addresses.
func (m *Mapping) Fits(shared, inode bool) bool {
	return m.Unknown || m.Shared == shared && (m.File || m.Shared) == inode
}
