package layout

// Counter is one of the counters of the C code: its name and a sentence for a person. Loss marks counters of what is missing
// from the profile.
type Counter struct {
	Name, Sentence string
	Loss           bool
}
