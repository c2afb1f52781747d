package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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

// WriteJSON answers with the value as JSON, gzipped if the request takes that. It fails if the connection does.
func WriteJSON(w http.ResponseWriter, r *http.Request, value any) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept-Encoding")
	if err := encode(w, value, takesGzip(r)); err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	return nil
}

func encode(w http.ResponseWriter, value any, packed bool) error {
	if !packed {
		return json.NewEncoder(w).Encode(value)
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(z).Encode(value), z.Close())
}
