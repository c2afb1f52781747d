// Package truth is what programs print of their cases.
package truth

// Row is what one function of the case allocated and did not free.
type Row struct {
	Function      string
	Holder        string // a regular expression: what view=heldby must say of it; empty if nothing is expected
	Sentence      string // a regular expression: what each of its suspects must say; empty if nothing is expected
	Blocks, Bytes int64  // 0 if they are not counted
}

// Case is what a case did. It is printed as JSON, in one line, when the case is at rest.
type Case struct {
	URL  string // where the handlers serve: .../debug/
	Rows []Row
}

// Listed is a case as -list prints it, a JSON array.
type Listed struct {
	Name string
	Go   bool // it needs Go
}
