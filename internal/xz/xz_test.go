package xz

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// packed is some data as xz packs it.
func packed(t testing.TB, data []byte, flags ...string) []byte {
	t.Helper()
	command := exec.Command("xz", append(flags, "--stdout")...)
	command.Stdin = bytes.NewReader(data)
	out, err := command.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("xz %v: %v", flags, err)
	}
	return out
}

func noise(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

func samples() map[string][]byte {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		self = nil
	}
	text := []byte(strings.Repeat("a symbol, another symbol, and one more\n", 1000))
	return map[string][]byte{
		"nothing": {}, "a byte": {7}, "noise": noise(100_000), "text": text, "zeros": make([]byte, 3<<20),
		"a program":     self[:min(len(self), 1<<18)],
		"noise in text": append(append(bytes.Clone(text), noise(70_000)...), text...),
	}
}

func TestWhatXZPacksIsUnpacked(t *testing.T) {
	for what, data := range samples() {
		for _, flags := range [][]string{
			{"-0"}, {"-6"}, {"-9e"}, {"--check=none"}, {"--check=crc32"}, {"--check=sha256"}, {"--block-size=100000"},
			{"--lzma2=preset=6,lc=0,lp=4,pb=4"}, {"--lzma2=preset=6,lc=4,lp=0,pb=0"}, {"--lzma2=dict=4KiB"}, {"-T2"},
		} {
			t.Run(fmt.Sprint(what, flags), func(t *testing.T) {
				if testing.Short() && len(data) > 1<<18 {
					t.Skip("long: make test-all runs it")
				}
				got, err := Decompress(packed(t, data, flags...), len(data), nil)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%d bytes, %v; want %d", len(got), err, len(data))
				}
			})
		}
	}
}

func TestMoreThanTheLimitIsRefused(t *testing.T) {
	for what, data := range samples() {
		if len(data) == 0 {
			continue
		}
		if got, err := Decompress(packed(t, data), len(data)-1, nil); !errors.Is(err, ErrTooBig) || got != nil {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
}

func TestDamageIsFound(t *testing.T) {
	data := samples()["text"]
	whole := packed(t, data)
	footer := 12 + 8 + 4 // and an index of one record, which are not read
	for n := range len(whole) - footer {
		if got, err := Decompress(whole[:n], len(data), nil); err == nil || got != nil {
			t.Errorf("cut to %d of %d bytes: %d bytes, no error", n, len(whole), len(got))
		}
	}
	for at := range len(whole) - footer {
		changed := bytes.Clone(whole)
		changed[at] ^= 0x10
		if got, err := Decompress(changed, len(data), nil); err == nil && !bytes.Equal(got, data) {
			t.Errorf("byte %d changed: another result and no error", at)
		}
	}
}

func TestOtherFiltersAreRefused(t *testing.T) {
	if _, err := Decompress(packed(t, noise(100), "--x86", "--lzma2"), 100, nil); !errors.Is(err, errUnknown) {
		t.Error(err)
	}
}

func FuzzAnErrorMeansNoResult(f *testing.F) {
	const limit = 1 << 16
	for _, data := range [][]byte{{}, []byte("abcabcabcabcabc"), noise(300), bytes.Repeat([]byte("xz"), 5000)} {
		f.Add(packed(f, data, "--check=none"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Decompress(data, limit, nil)
		if err != nil && got != nil || len(got) > limit {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	})
}

func BenchmarkDecompress(b *testing.B) {
	data := samples()["a program"]
	whole := packed(b, data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decompress(whole, len(data), nil); err != nil {
			b.Fatal(err)
		}
	}
}
