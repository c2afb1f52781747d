package page

// About is what the page must know before it asks for more. What only a live process has is left out of pages of something else.
type About struct {
	SampleBytes int64 `json:"sample_bytes"`      // mean bytes between samples
	Timeline    bool  `json:"timeline"`          // whether one is kept
	Dumps       bool  `json:"dumps"`             // whether they are made
	Since       int64 `json:"since,omitempty"`   // when the recording began, in milliseconds since 1970
	Moments     int   `json:"moments,omitempty"` // how many are kept for the suspects
	Looked      int64 `json:"looked,omitempty"`  // when the first of them was, in milliseconds since 1970; 0 for none
	PID         int   `json:"pid,omitempty"`

	Name    string   `json:"name,omitempty"`    // what the title of the page begins with
	Of      string   `json:"of,omitempty"`      // what is shown, in a sentence
	Ended   []string `json:"ended,omitempty"`   // how a process ended, in place of suspects
	Views   []View   `json:"views,omitempty"`   // in place of those of a live process
	Without []string `json:"without,omitempty"` // the parts that are not there: see the constants
}

// View is a profile that the page offers.
type View struct {
	Name  string `json:"name"` // the parameter view
	Label string `json:"label"`
	Title string `json:"title,omitempty"`
}

// The parts of the page that may be missing.
const (
	PartSuspects = "suspects"
	PartAccount  = "account"
	PartTimeline = "timeline"
	PartSampling = "sampling"
	PartTrim     = "trim"
	PartDump     = "dump"
	PartSearch   = "search"
	PartRefresh  = "refresh"
	PartDownload = "download"
)
