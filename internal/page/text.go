package page

import (
	"io"
	"net/http"

	"github.com/cgoheap/cgoheap/internal/plain"
)

// Text sets the headers of an answer that is text, and returns what writes it. Names in it are plain then.
func Text(w http.ResponseWriter) io.Writer {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	return &plain.Writer{To: w}
}

// Error answers with a sentence.
func Error(w http.ResponseWriter, sentence string, status int) {
	http.Error(w, plain.Lines(sentence), status)
}
