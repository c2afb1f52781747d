package stack

// Label is a key with a text or, where Unit is not empty, a number: what tells samples of one stack apart.
type Label struct {
	Key, Text string
	Number    int64
	Unit      string // what Number counts, such as "bytes" or "seconds"; "" for a text
}
