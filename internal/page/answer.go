package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cgoheap/cgoheap/internal/plain"
)

// pack writes the text gzipped. A bytes.Buffer refuses nothing.
func pack(w *bytes.Buffer, text []byte) {
	z := gzip.NewWriter(w)
	_, _ = z.Write(text)
	_ = z.Close()
}

// takesGzip reports whether the answer may be gzipped.
func takesGzip(r *http.Request) bool {
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(encoding), ";")
		if name == "gzip" {
			return !strings.HasSuffix(strings.ReplaceAll(parameters, " ", ""), "q=0")
		}
	}
	return false
}

// Packed is an answer as JSON that only has to be sent.
type Packed struct {
	body  bytes.Buffer
	gzips bool
}

// Pack makes an answer of a value, gzipped if the request takes that. It fails if the value is not of JSON's kind.
func Pack(r *http.Request, value any) (*Packed, error) {
	p := &Packed{gzips: takesGzip(r)}
	if err := p.encode(value); err != nil {
		return nil, fmt.Errorf("packing an answer: %w", err)
	}
	return p, nil
}

func (p *Packed) encode(value any) error {
	if !p.gzips {
		return json.NewEncoder(&p.body).Encode(value)
	}
	z, err := gzip.NewWriterLevel(&p.body, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(z).Encode(value), z.Close())
}

// Send answers with it. It fails if the connection does.
func (p *Packed) Send(w http.ResponseWriter) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept-Encoding")
	if p.gzips {
		h.Set("Content-Encoding", "gzip")
	}
	if _, err := w.Write(p.body.Bytes()); err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	return nil
}

// WriteJSON packs an answer and sends it.
func WriteJSON(w http.ResponseWriter, r *http.Request, value any) error {
	p, err := Pack(r, value)
	if err != nil {
		Error(w, err.Error(), http.StatusInternalServerError)
		return err
	}
	return p.Send(w)
}

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

// Attachment is the header Content-Disposition of a profile.
const Attachment = `attachment; filename="cgoheap.pb.gz"`

// SendProfile answers with a profile as a file. It fails if the connection does.
func SendProfile(w http.ResponseWriter, profile []byte) error {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", Attachment)
	_, err := w.Write(profile)
	return err
}
