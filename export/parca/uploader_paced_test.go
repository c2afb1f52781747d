package parca

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestFilesAreReadNoFasterThanTheyMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content := bytes.Repeat([]byte("debug "), 10<<20)
		began := time.Now()
		got, err := io.ReadAll(&paced{ctx: t.Context(), Reader: bytes.NewReader(content), began: began})
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%d of %d bytes: %v", len(got), len(content), err)
		}
		want := time.Duration(len(content)) * time.Second / bytesPerSecond
		if took := time.Since(began); took < want-time.Second || took > want {
			t.Errorf("%d bytes took %v, want %v", len(content), took, want)
		}
	})
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &paced{ctx: ctx, Reader: bytes.NewReader(make([]byte, 10)), began: time.Now().Add(time.Hour)}
	if n, err := r.Read(make([]byte, 10)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes: %v", n, err)
	}
}
