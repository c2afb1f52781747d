package elffile

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
)

// zlibStream compresses data at a level.
func zlibStream(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var compressed bytes.Buffer
	w, err := zlib.NewWriterLevel(&compressed, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}

func inflateSamples(t testing.TB) map[string][]byte {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		program = bytes.Repeat([]byte("no such program "), 1<<16)
	}
	random := make([]byte, 1<<17)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(random); i++ {
		random[i] = byte(r.Uint32())
	}
	return map[string][]byte{
		"nothing": nil, "a byte": {7}, "zeros": make([]byte, 1<<18), "noise": random,
		"a program": program[:min(len(program), 3<<20)], "a period of 7": bytes.Repeat([]byte("abcdefg"), 5000),
	}
}

func TestWhatWasDeflatedIsInflated(t *testing.T) {
	for name, data := range inflateSamples(t) {
		for _, level := range []int{zlib.NoCompression, zlib.BestSpeed, zlib.DefaultCompression, zlib.BestCompression, zlib.HuffmanOnly} {
			compressed := zlibStream(t, data, level)
			got := make([]byte, len(data))
			if err := inflateInto(got, bytes.NewReader(compressed)); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s, level %d: %v", name, level, err)
			}
			for _, cut := range []int{0, 1, 2, len(compressed) / 2, len(compressed) - 5, len(compressed) - 1} {
				if err := inflateInto(got, bytes.NewReader(compressed[:cut])); err == nil {
					t.Fatalf("%s, level %d: %d of %d bytes are enough", name, level, cut, len(compressed))
				}
			}
			if err := inflateInto(make([]byte, len(data)+1), bytes.NewReader(compressed)); err == nil {
				t.Fatalf("%s, level %d: a byte more than there is", name, level)
			}
			if len(data) > 0 && inflateInto(make([]byte, len(data)-1), bytes.NewReader(compressed)) == nil {
				t.Fatalf("%s, level %d: a byte less than there is", name, level)
			}
		}
	}
}

func TestInflatingTakesNoMemoryBesideTheResult(t *testing.T) {
	compressed := zlibStream(t, make([]byte, 64<<20), zlib.BestSpeed)
	dst := make([]byte, 64<<20)
	for _, size := range []int{1 << 10, 64 << 20} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := inflateInto(dst[:size], bytes.NewReader(compressed))
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<18 || (err == nil) != (size == len(dst)) {
			t.Errorf("%d bytes allocated to read %d, %v", got, size, err)
		}
	}
}

func FuzzInflateAgreesWithCompressZlib(f *testing.F) {
	for _, data := range inflateSamples(f) {
		data = data[:min(len(data), 4096)]
		for _, level := range []int{zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression, zlib.HuffmanOnly} {
			f.Add(zlibStream(f, data, level), uint16(len(data)))
		}
	}
	f.Fuzz(func(t *testing.T, compressed []byte, size uint16) {
		got, want := make([]byte, size), make([]byte, size)
		err := inflateInto(got, bytes.NewReader(compressed))
		if wantErr := obviously(want, compressed); wantErr == nil && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%v, and compress/zlib reads it", err)
		}
	})
}

// obviously is the slow road: it fails if the stream is not exactly as long as dst.
func obviously(dst, compressed []byte) error {
	stream, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(stream, dst); err != nil {
		return err
	}
	if n, err := stream.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return io.ErrShortBuffer
	}
	return nil
}
