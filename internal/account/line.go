package account

// Line is one part of RSS.
type Line struct {
	Name     string
	Sentence string // what it is
	Detail   string // its largest parts; "" for most lines
	Size
	Known Known
	Error int64 // half of the 95 % interval, of an estimate from samples
	Err   error // why it could not be read; the Size then has only the part that could
}

// Known is how a line's bytes are known.
type Known uint8

// The ways to know, the best first.
const (
	Counted  Known = iota // page by page, by addresses that are known
	Figures               // by its owner's own figures, which do not say on which pages
	Estimate              // from samples, or by a rule for what an allocator adds
	Rest                  // the remainder, without the others
)

var knownNames = [...]string{"counted", "figures", "estimate", "rest"}

func (k Known) String() string { return knownNames[k] }

// MarshalText implements encoding.TextMarshaler.
func (k Known) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// The names of the lines.
const (
	GoObjects     = "Go: heap in use"
	GoFree        = "Go: heap free"
	GoStacks      = "Go: goroutine stacks"
	GoOther       = "Go: other runtime memory"
	GoRest        = "Go: free heap, stacks and runtime memory"
	GoAll         = "Go: heap and runtime memory"
	Native        = "malloc: in use"
	Overhead      = "malloc: headers and rounding"
	Unrecorded    = "malloc: in use, not recorded"
	Free          = "malloc: free"
	FreeOrNot     = "malloc: free, or not recorded"
	Pinned        = "host memory pinned for devices"
	MappedBy      = "mapped directly"
	CallerUnknown = "mapped, caller unknown"
	Stacks        = "stacks of threads"
	StacksEnded   = "stacks of ended threads"
	Code          = "program and libraries: code"
	Data          = "program and libraries: data"
	Written       = "program and libraries: written data"
	Files         = "mapped data files"
	Shared        = "shared memory"
	DeviceFiles   = "mapped device files"
	Tables        = "the profiler's tables"
	Unexplained   = "unexplained"
)

var sentences = map[string]string{
	GoObjects: "objects of Go's heap, and garbage that was not swept yet",
	GoFree:    "memory of Go's heap that holds no object and was not returned to the kernel",
	GoStacks:  "goroutines' stacks, as the Go runtime counts them",
	GoOther:   "memory that the Go runtime mapped beside its heap: tables of the heap, of the collector, of profiles",
	GoRest:    "what the Go runtime has mapped, without the objects of its heap: from outside of the process it cannot be told apart",
	GoAll:     "what the Go runtime has mapped, with the objects of its heap: no flight recorder has noted how much these are",
	Native:    "recorded blocks of malloc, without the parts of large blocks that were never touched",
	Overhead:  "bytes that the allocator adds to the sizes that the program asked for",
	Unrecorded: "blocks of malloc that were allocated before the recording began, or could not be recorded; and by how much " +
		"the estimates of the lines beside it are wrong",
	Free:          "memory that malloc keeps for later: no block in use lies in it",
	FreeOrNot:     "malloc's memory without a recorded block: free, or allocated before the recording began",
	Pinned:        "recorded memory that a driver allocated so that devices can read it, as by cuMemHostAlloc",
	MappedBy:      "memory that the program or a library mapped, with the stack of the call",
	CallerUnknown: "anonymous memory whose mapping was not seen: libraries' own allocators, and memory that was mapped before the recording began",
	Stacks:        "stacks of the threads that run or wait, with their thread-local variables",
	StacksEnded:   "stacks of threads that have ended: libc keeps them for new threads, or until the thread is joined",
	Code:          "code of the program and its libraries, as it is in their files",
	Data:          "constants and other data of the program and its libraries, as they are in their files",
	Written:       "variables of the program and its libraries, and data that the loader relocated",
	Files:         "mapped files, other than the program and its libraries, and private copies of their pages",
	Shared:        "memory of shm_open, shmget, memfd_create and memfd_secret, and shared anonymous memory",
	DeviceFiles:   "pages that drivers have mapped from files of devices: managed memory that is in the host's memory now, queues, registers",
	Tables:        "the profiler's records, and the memory that it works in at this moment",
	Unexplained:   "the part of RSS that no other line has",
}
