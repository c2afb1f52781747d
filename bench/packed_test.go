package bench

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"

	peer "github.com/ulikunitz/xz"

	"github.com/cgoheap/cgoheap/internal/xz"
)

const unpackedLimit = 1 << 20

// packed returns the start of this program, packed by xz.
func packed(tb testing.TB, options ...string) []byte {
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		tb.Skip(err)
	}
	defer program.Close()
	command := exec.Command("xz", append(options, "-c")...)
	command.Stdin = io.LimitReader(program, unpackedLimit/4)
	out, err := command.Output()
	if err != nil {
		tb.Skip("needs xz (Debian: xz-utils): ", err)
	}
	return out
}

func unpackByPeer(data []byte) ([]byte, error) {
	reader, err := peer.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

func TestUnpackersOfXzAgree(t *testing.T) {
	data := packed(t)
	ours, err := xz.Decompress(data, unpackedLimit, nil)
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err := unpackByPeer(data); err != nil || !bytes.Equal(ours, theirs) {
		t.Errorf("%d bytes and %d bytes, %v", len(ours), len(theirs), err)
	}
}

// BenchmarkXz unpacks data that xz packed with its defaults, and with a header that claims a large dictionary, of which only
// some bytes are needed.
func BenchmarkXz(b *testing.B) {
	for about, options := range map[string][]string{"defaults": nil, "a dictionary of 256 MiB": {"--lzma2=dict=256MiB"}} {
		data := packed(b, options...)
		b.Run("internal/xz, "+about, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := xz.Decompress(data, unpackedLimit, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("ulikunitz/xz, "+about, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := unpackByPeer(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
