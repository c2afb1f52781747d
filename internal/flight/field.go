package flight

// Field is one figure of a record.
type Field int

// The fields of a record. Bytes are the process's, unless the field's sentence says otherwise.
const (
	RSS Field = iota
	GoHeap
	GoFree
	GoStacks
	GoOther
	Native
	Mapped
	MallocFree
	Devices
	Threads
	Goroutines
	GroupUsed
	GroupCache
	GroupLimit
	GroupKills
	StalledSome
	StalledFull

	Fields
)

// About describes a field.
type About struct {
	Name, Unit, Sentence string
}

var fields = [Fields]About{
	RSS:         {"rss", "bytes", "resident memory, as the kernel counts it"},
	GoHeap:      {"go_heap", "bytes", "objects of Go's heap, and garbage that was not swept yet"},
	GoFree:      {"go_free", "bytes", "memory of Go's heap that holds no object and was not returned to the kernel"},
	GoStacks:    {"go_stacks", "bytes", "goroutines' stacks"},
	GoOther:     {"go_other", "bytes", "memory that the Go runtime mapped beside its heap"},
	Native:      {"native", "bytes", "blocks in use of malloc, and of pools that the program reports, by the sizes that it asked for; an estimate if it samples"},
	Mapped:      {"mapped", "bytes", "memory that the program and its libraries mapped, resident or not"},
	MallocFree:  {"malloc_free", "bytes", "resident memory that malloc keeps for later"},
	Devices:     {"devices", "bytes", "memory of devices, such as graphics cards, in recorded blocks in use; unknown before the first"},
	Threads:     {"threads", "", "threads of the process"},
	Goroutines:  {"goroutines", "", "goroutines"},
	GroupUsed:   {"cgroup_used", "bytes", "memory that the control group nearest to its limit uses, with file cache"},
	GroupCache:  {"cgroup_cache", "bytes", "the part of it that is inactive file cache, which the kernel drops first"},
	GroupLimit:  {"cgroup_limit", "bytes", "the limit of that control group"},
	GroupKills:  {"cgroup_oom_kills", "", "processes of the process's own control group that the kernel has killed for memory"},
	StalledSome: {"stalled_some", "microseconds", "time in which at least one task waited for memory (PSI), since the group or the machine began"},
	StalledFull: {"stalled_full", "microseconds", "time in which all tasks waited for memory"},
}

// About describes the field.
func (f Field) About() About { return fields[f] }

// Unknown is the value of a field that could not be read.
const Unknown = -1
