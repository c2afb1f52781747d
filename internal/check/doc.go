// Package check finds what is wrong with a profile in pprof's format, from any writer.
//
// The format leaves much open that its readers do not. Each has its own rules, none documents them all, and some silently
// change what they do not accept: go tool pprof shows another sample type if it cannot find the default, Pyroscope drops the
// samples that it cannot read, Parca files a profile without a time in 1970. So a profile that looks right in one viewer may
// be refused by another, or worse, be wrong in it. This package has the rules of three readers, google/pprof, Parca and
// Pyroscope, from their sources.
//
//	bytes ─► uncompressed ─► tables ─► rules of tables ──┐
//	                │                                    ├─► at most one Fault per rule
//	                └──────► sample by sample ─► rules of samples ┘
//
// An error is something that a reader refuses or misreads; the sentence names the reader. A warning is something that all of
// them read, but that costs more, shows less or exceeds a default limit. A Fault has the first position that breaks its
// rule, and how often it is broken. So the list is short however broken the profile is. Its order follows the catalogue in
// rules.go, which names the source of each rule.
//
// The bytes are untrusted. The package has its own reader of the wire format, because others repair or refuse the faults to
// be found here. What a profile takes in a reader's memory is counted before anything is made of it, and must be in proportion to
// the file (file.go); Read does the same for readers that go on with google/pprof. Only the nesting of the format is accepted;
// samples are checked one at a time and not kept. google/pprof accepts every profile without an error: the tests and the
// fuzzer check that.
//
// Some things a profile does not show: whether a duration means a delta; whether an address is an ELF address; which mapping
// is the main binary, unless file names show it; whether a number that is 0 was left out: a label with a unit and without a
// number therefore counts as a label of 0.
package check
