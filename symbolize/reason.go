package symbolize

// Reason says why an address has no name, or only that of a symbol. It is a value to be counted and shown, not a message
// to be logged.
type Reason uint8

// The reasons, from the module inwards.
const (
	Named           Reason = iota // nothing is missing
	NoModule                      // no known file was mapped at the address
	FileGone                      // the file was deleted or replaced and cannot be opened any more
	Unreadable                    // the file cannot be read
	NotELF                        // the file is not an ELF file, or a broken one
	Stripped                      // the file has no debug data and no symbols of its own
	OtherDebugFile                // so, and a debug file that was found belongs to another build
	LinkChecksum                  // so, and the file that the debug link names is not the one that it means
	DebugFileBroken               // so, and a debug file that was found cannot be read
	NeedsAlternate                // the file that dwz has made of the debug data is missing, or is of another build
	NeedsSplit                    // a file of split debug data is missing, or is of another build
	NeedsServer                   // a debuginfod server may have the debug file, and is not to be asked
	NotOnServer                   // the debug file is neither here nor on a debuginfod server
	ServerFailed                  // a debuginfod server was to be asked and did not answer
	NoSymbol                      // no function and no symbol covers the address
	DebugDamaged                  // nothing covers the address, and part of the debug data could not be read
	DebugTooBig                   // nothing covers the address in as much of the debug data as may be read at a time
	DebugPacked                   // nothing covers the address, and the debug data takes more memory unpacked than is allowed
	MadeAtRunTime                 // the code was made at run time, and nobody says what it is called
	MadeAgain                     // the code was made at run time, and other code was at its place before
	reasons                       // how many there are
)

var reasonTexts = [reasons]struct{ name, sentence string }{
	Named:      {"named", "The address has a name."},
	NoModule:   {"no module", "No known file was mapped at the address."},
	FileGone:   {"file gone", "The file was deleted or replaced after it was mapped and could not be opened any more."},
	Unreadable: {"file unreadable", "The file that was mapped at the address could not be read."},
	NotELF:     {"not ELF", "The file that was mapped at the address is not an ELF file, or a broken one."},
	Stripped:   {"stripped", "The file has no debug data, and symbols at most for what other files may call."},
	OtherDebugFile: {"debug file has another build ID",
		"The debug file that was found belongs to another build of the file."},
	LinkChecksum: {"debug link's checksum does not match",
		"The debug file that the file names has another checksum than it says."},
	DebugFileBroken: {"debug file unreadable",
		"The debug file, or the link to it, is damaged or cannot be read."},
	NeedsAlternate: {"needs the dwz file",
		"The debug data refers to a file made by dwz that is missing or belongs to another build."},
	NeedsSplit: {"needs split debug data", "The debug data refers to .dwo files or a .dwp file that are missing, or of another build."},
	NeedsServer: {"needs debuginfod",
		"The debug file is not on this machine; a debuginfod server may have it, but is asked only if told so."},
	NotOnServer: {"not on debuginfod",
		"The debug file is not on this machine, and the debuginfod servers do not have it."},
	ServerFailed: {"debuginfod failed", "The debug file is not on this machine, and the debuginfod servers did not answer well."},
	NoSymbol:     {"no symbol", "No function of the debug data and no symbol covers the address."},
	DebugDamaged: {"debug data damaged", "Part of the debug data could not be read."},
	DebugTooBig:  {"debug data too big", "The debug data was too costly to be read to its end."},
	DebugPacked: {"compressed debug data too big", "The debug data, or the symbol table in .gnu_debugdata, is compressed " +
		"and takes more memory than symbolize.Options.UnpackBytes allows; a Go program linked with -ldflags=-compressdwarf=false needs none."},
	MadeAtRunTime: {"made at run time",
		"The code was made at run time, and neither a list for GDB nor a file /tmp/perf-PID.map of this process names it."},
	MadeAgain: {"made at run time, at several times",
		"The code was made at run time, and its runtime replaced or removed it between two profiles, so that no name is sure."},
}

// isTrouble reports whether a reason is one for which names are poorer than they were meant to be, and not just those of a
// file that was shipped without debug data.
func (r Reason) isTrouble() bool {
	switch r {
	case OtherDebugFile, LinkChecksum, DebugFileBroken, NeedsAlternate, NeedsSplit, ServerFailed, DebugDamaged, DebugTooBig, DebugPacked:
		return true
	}
	return false
}

// String is a short name of the reason.
func (r Reason) String() string {
	if r >= reasons {
		return "unknown reason"
	}
	return reasonTexts[r].name
}

// Sentence says the reason to a person.
func (r Reason) Sentence() string {
	if r >= reasons {
		return "The reason is not known."
	}
	return reasonTexts[r].sentence
}
