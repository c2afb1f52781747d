package debugfile

import "errors"

// The reasons why a file that could have named a module does not. A Refusal wraps one of them.
var (
	ErrOtherBuild  = errors.New("it has another build ID")
	ErrChecksum    = errors.New("its checksum is not that of the debug link")
	errDamaged     = errors.New("it is damaged")
	errUnreadable  = errors.New("it cannot be read")
	ErrNoAlternate = errors.New("the file that dwz made is missing")
	ErrNoSplit     = errors.New("a file of split debug data is missing")
	ErrServerOff   = errors.New("a debuginfod server may have it, but asking is off")
	ErrNotOnServer = errors.New("no debuginfod server has it")
	ErrServer      = errors.New("no debuginfod server sent it")
)

// Refusal is a file that is not accepted, or is missing, with the reason.
type Refusal struct {
	Path string
	Err  error // wraps one of the errors of this package
}

// refuse remembers the first refusal of each kind: split debug data can be thousands of files.
func (f *Files) refuse(path string, kind, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.refusals {
		if errors.Is(r.Err, kind) {
			return
		}
	}
	f.refusals = append(f.refusals, Refusal{path, errors.Join(kind, cause)})
}

// Refusals returns the files that were refused so far, in the order of the search; one of each kind.
func (f *Files) Refusals() []Refusal {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refusals[:len(f.refusals):len(f.refusals)]
}
