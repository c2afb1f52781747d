package symbolize

import (
	"errors"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Reason is why an address has no name, or only a symbol's. It is a value to count and show, not a message to log.
type Reason uint8

// The reasons, from the module inwards. Tests of other packages use the exported ones.
const (
	named           Reason = iota // nothing is missing
	NoModule                      // no known file was mapped at the address
	FileGone                      // the file was deleted or replaced and can no longer be opened
	unrecognised                  // the file had no build ID, and its inode is not known
	unreadable                    // the file cannot be read
	NotELF                        // the file is not an ELF file, or a broken one
	Stripped                      // the file has no debug data and no symbols of its own
	otherDebugFile                // the same, and the debug file found belongs to another build
	linkChecksum                  // the same, and the checksum of the file that the debug link names is wrong
	debugFileBroken               // the same, and the debug file found cannot be read
	needsAlternate                // the file that dwz has made of the debug data is missing, or is of another build
	NeedsSplit                    // a file of split debug data is missing, or is of another build
	needsServer                   // a debuginfod server may have the debug file, but asking is off
	notOnServer                   // the debug file is neither here nor on a debuginfod server
	serverFailed                  // a debuginfod server was asked and did not answer
	noSymbol                      // no function and no symbol covers the address
	debugDamaged                  // nothing covers the address, and part of the debug data could not be read
	debugTooBig                   // no part of the debug data that was read covers the address, and the search gave up
	debugPacked                   // nothing covers the address, and the debug data takes more memory unpacked than is allowed
	madeAtRunTime                 // the code was made at run time, and no list names it
	madeAgain                     // the code was made at run time, and other code was at its address before
	reasons                       // how many there are
)

var reasonTexts = [reasons]struct{ name, sentence string }{
	named:    {"named", "The address has a name."},
	NoModule: {"no module", "No known file was mapped at the address."},
	FileGone: {"file gone", "The file was deleted or replaced after it was mapped and could not be opened any more."},
	unrecognised: {"file not recognised",
		"The file has no build ID, and its device, inode and size were not noted, so no file can be said to be it."},
	unreadable: {"file unreadable", "The file that was mapped at the address could not be read."},
	NotELF:     {"not ELF", "The file that was mapped at the address is not an ELF file, or a broken one."},
	Stripped:   {"stripped", "The file has no debug data, and at most the symbols of exported functions."},
	otherDebugFile: {"debug file has another build ID",
		"The debug file that was found belongs to another build of the file."},
	linkChecksum: {"debug link's checksum does not match",
		"The debug file that the file names has the wrong checksum."},
	debugFileBroken: {"debug file unreadable",
		"The debug file, or the link to it, is damaged or cannot be read."},
	needsAlternate: {"needs the dwz file",
		"The debug data refers to a file made by dwz that is missing or belongs to another build."},
	NeedsSplit: {"needs split debug data", "The debug data refers to .dwo files or a .dwp file that are missing, or of another build."},
	needsServer: {"needs debuginfod",
		"The debug file is not on this machine; a debuginfod server may have it, but is asked only if Config.Debuginfod is set."},
	notOnServer: {"not on debuginfod",
		"The debug file is not on this machine, and the debuginfod servers do not have it."},
	serverFailed: {"debuginfod failed", "The debug file is not on this machine, and the debuginfod servers failed to answer."},
	noSymbol:     {"no symbol", "No function of the debug data and no symbol covers the address."},
	debugDamaged: {"debug data damaged", "Part of the debug data could not be read."},
	debugTooBig:  {"debug data too big", "The debug data was too large to be read to its end."},
	debugPacked: {"compressed debug data too big", "The debug data, or the symbol table in .gnu_debugdata, is compressed " +
		"and takes more memory than Config.UnpackBytes allows; a Go program linked with -ldflags=-compressdwarf=false needs none."},
	madeAtRunTime: {"made at run time",
		"The code was made at run time, and neither a list for GDB nor a file /tmp/perf-PID.map of this process names it."},
	madeAgain: {"made at run time, at several times",
		"The code was made at run time, and its runtime replaced or removed it between two profiles, so no name is certain."},
}

// isTrouble reports whether names are poorer than expected for this reason; they are not for a file shipped without debug data.
func (r Reason) isTrouble() bool {
	switch r {
	case otherDebugFile, linkChecksum, debugFileBroken, needsAlternate, NeedsSplit, serverFailed, debugDamaged, debugTooBig, debugPacked:
		return true
	}
	return false
}

// String returns a short name of the reason.
func (r Reason) String() string {
	if r >= reasons {
		return "unknown reason"
	}
	return reasonTexts[r].name
}

// Sentence returns the reason as a sentence for a person.
func (r Reason) Sentence() string {
	if r >= reasons {
		return "The reason is not known."
	}
	return reasonTexts[r].sentence
}

// Line is one function at an address, with the source position that was being executed: for the innermost function the
// instruction's own line, for the others the line of the inlined call.
type Line struct {
	Function     string // for a person: demangled in the Symbolizer's Style
	SystemName   string // the linker's name; for a C++ function without a mangled name, its plain name
	File         string // absolute where the compiler recorded its directory; "" if unknown
	Line, Column int    // from 1; 0 if unknown
	StartLine    int    // the line of the function's definition; 0 if unknown
}

// Result is the answer for one address: its lines, innermost first, or the reason why there are none. Exactly one of the two
// is set. Beside lines, Lack may be the reason why they are only a symbol's, or incomplete: debug data exists, or was
// expected, but could not be read.
type Result struct {
	Lines  []Line
	Reason Reason
	Lack   Reason // named if nothing is known to be missing

	// Start is the start of the function around an address without lines, by unwind data; 0 if unknown.
	Start mappings.ELFAddr
}

// MissingCounts counts addresses by what is missing from their names. The zero value is empty.
type MissingCounts struct {
	Unnamed [reasons]uint64 // by the reason for having no name
	Poor    [reasons]uint64 // by the reason for having only a symbol's, or lacking inlined calls or lines
}

// Add counts one address, unless nothing is missing from its name.
func (t *MissingCounts) Add(r Result) {
	if r.Reason > named && r.Reason < reasons {
		t.Unnamed[r.Reason]++
	}
	if r.Lack > named && r.Lack < reasons {
		t.Poor[r.Lack]++
	}
}

// Include adds what another has counted.
func (t *MissingCounts) Include(other *MissingCounts) {
	for r := range reasons {
		t.Unnamed[r] += other.Unnamed[r]
		t.Poor[r] += other.Poor[r]
	}
}

// losses returns the counts above zero, in the order of the reasons, addresses without a name first.
func (t *MissingCounts) losses() (losses []stack.Loss) {
	for r, n := range t.Unnamed {
		if n > 0 {
			losses = append(losses, stack.Loss{Name: Reason(r).String(), Sentence: Reason(r).Sentence(), Count: n})
		}
	}
	for r, n := range t.Poor {
		if n > 0 {
			losses = append(losses, stack.Loss{
				Name:     "no lines because " + Reason(r).String(),
				Sentence: "Functions are named, inlined calls or lines are missing. " + Reason(r).Sentence(),
				Count:    n,
			})
		}
	}
	return losses
}

// refusalReasons maps the error of a refused file to the reason of the addresses that it could have named. The first match
// counts.
var refusalReasons = []struct {
	err    error
	reason Reason
}{
	{elffile.ErrAllowance, debugPacked},
	{debugfile.ErrNoAlternate, needsAlternate},
	{debugfile.ErrNoSplit, NeedsSplit},
	{debugfile.ErrOtherBuild, otherDebugFile},
	{debugfile.ErrChecksum, linkChecksum},
	{debugfile.ErrServerOff, needsServer},
	{debugfile.ErrNotOnServer, notOnServer},
	{debugfile.ErrServer, serverFailed},
}

func refusalReason(err error) Reason {
	for _, r := range refusalReasons {
		if errors.Is(err, r.err) {
			return r.reason
		}
	}
	return debugFileBroken
}
