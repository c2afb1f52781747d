// Package check says what is wrong with a profile in pprof's format, whoever wrote it.
//
// The format leaves much open that its readers do not. Each has rules of its own, none says them all, and some mend what
// they do not like without a word: go tool pprof shows another sample type than the default that it cannot find, Pyroscope
// drops the samples that it cannot read, Parca files a profile without a time in 1970. So a profile that looks right in
// one viewer may be refused, or worse, be wrong in another. This room knows the rules of three of them, google/pprof,
// Parca and Pyroscope, as they stand in their sources, and asks what none of them would say.
//
//	bytes ─► uncompressed ─► tables ─► rules of tables ──┐
//	                │                                    ├─► at most one Fault per rule
//	                └──────► sample by sample ─► rules of samples ┘
//
// An error is something that a reader refuses or misreads: the sentence says which. A warning is something that all of
// them read, but that costs more, says less or meets a limit that is set by default. A rule says where it is broken first
// and how often. So the list is short however broken the profile is, and its order is that of the catalogue in rules.go,
// which names the source of each.
//
// The bytes may be anyone's. The reader of the wire format is our own, because those of others mend or refuse what is to
// be seen here. It takes 256 MiB at most, 4 million entries in a table or a sample, and no nesting but that of the format;
// samples are judged one at a time and not kept. Whatever has no fault that is an error is accepted by google/pprof, too:
// that is what the tests, and the fuzzer, hold against it.
//
// Some things cannot be told from a profile. Whether a duration means a delta. Whether an address is an ELF address. Which
// mapping is the main binary, unless names of files tell. Whether a number that is 0 was left out: a label with a unit
// and without a number is therefore a label of 0.
package check
