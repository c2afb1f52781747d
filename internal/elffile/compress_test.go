package elffile

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func deflated(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(data)
	w.Close()
	return out.Bytes()
}

func zstandard(data []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(data, nil)
}

// compressed is an SHF_COMPRESSED section that claims a size.
func (im image) compressed(kind elf.CompressionType, payload []byte, size uint64) content {
	var data bytes.Buffer
	im.write(&data, elf.Chdr64{Type: uint32(kind), Size: size, Addralign: 1})
	data.Write(payload)
	return content{name: ".debug_str", kind: uint32(elf.SHT_PROGBITS), flags: uint64(elf.SHF_COMPRESSED), data: data.Bytes()}
}

// old is a .zdebug_str section that claims a size.
func old(payload []byte, size uint64) content {
	data := binary.BigEndian.AppendUint64([]byte("ZLIB"), size)
	return content{name: ".zdebug_str", kind: uint32(elf.SHT_PROGBITS), data: append(data, payload...)}
}

func TestCompressedSections(t *testing.T) {
	text := []byte(strings.Repeat("a string of .debug_str\x00", 1000) + "the last\x00")
	size := uint64(len(text))
	im := native()
	for way, section := range map[string]content{
		"zlib":     im.compressed(elf.COMPRESS_ZLIB, deflated(text), size),
		"zstd":     im.compressed(elf.COMPRESS_ZSTD, zstandard(text), size),
		"zlib-gnu": old(deflated(text), size),
		"nothing":  {name: ".debug_str", kind: uint32(elf.SHT_PROGBITS), data: text},
	} {
		t.Run("a section compressed with "+way+" is read as it was before", func(t *testing.T) {
			im.sections = []content{section}
			got, err := im.open(t).SectionData(".debug_str")
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

func TestHostileCompression(t *testing.T) {
	zeros := make([]byte, 4<<20)
	im := native()
	for what, section := range map[string]content{
		"that claims a terabyte":            im.compressed(elf.COMPRESS_ZLIB, deflated(zeros), 1<<40),
		"that claims more than is credible": im.compressed(elf.COMPRESS_ZLIB, deflated(zeros), 4<<20),
		"that is a zstd bomb":               im.compressed(elf.COMPRESS_ZSTD, zstandard(zeros), 4<<20),
		"in the old way, a terabyte":        old(deflated(zeros), 1<<40),
		"that is shorter than it claims":    im.compressed(elf.COMPRESS_ZLIB, deflated([]byte("abc")), 4),
		"in no known way":                   im.compressed(77, deflated([]byte("abc")), 3),
		"with garbage for zlib":             im.compressed(elf.COMPRESS_ZLIB, []byte("garbage"), 3),
		"with garbage for zstd":             im.compressed(elf.COMPRESS_ZSTD, []byte("garbage"), 3),
		"with half a header":                {name: ".debug_str", kind: 1, flags: uint64(elf.SHF_COMPRESSED), data: []byte{1, 0, 0}},
	} {
		t.Run("a compressed section "+what+" is an error that names it", func(t *testing.T) {
			got, err := native(section).open(t).SectionData(".debug_str")
			if err == nil || got != nil || !strings.Contains(err.Error(), "debug_str of image") {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if errors.Is(err, ErrNoSection) {
				t.Error("a broken section counts as missing")
			}
		})
	}
}
