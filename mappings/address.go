package mappings

// RuntimeAddr is an address in the running process's memory.
type RuntimeAddr uint64

// FileOffset is a position in a file on disk.
type FileOffset uint64

// ELFAddr is an address as an ELF file states it (st_value, DWARF, addr2line, profile servers): a RuntimeAddr less the
// module's load bias.
type ELFAddr uint64
