package elffile

import (
	"debug/elf"
	"errors"
	"hash/crc32"
	"testing"
)

func (im image) with(name string, data []byte) image {
	im.sections = []content{{name: name, kind: uint32(elf.SHT_PROGBITS), data: data}}
	return im
}

func TestDebugLink(t *testing.T) {
	im := native()
	for name, padded := range map[string]string{
		"a": "a\x00\x00\x00", "abc": "abc\x00", "abcd": "abcd\x00\x00\x00\x00", "program.debug": "program.debug\x00\x00\x00",
	} {
		data := append([]byte(padded), 0, 0, 0, 0)
		order.PutUint32(data[len(padded):], 0x12345678)
		f := im.with(".gnu_debuglink", data).open(t)
		if got, sum, err := f.DebugLink(); got != name || sum != 0x12345678 || err != nil {
			t.Errorf("%s: %q, %#x, %v", name, got, sum, err)
		}
	}
	for _, bad := range []string{"", "a", "a\x00", "a\x00\x00\x00\x01\x02\x03", "\x00\x00\x00\x00\x01\x02\x03\x04", "/\x00\x00\x00\x01\x02\x03\x04", "..\x00\x00\x01\x02\x03\x04"} {
		name, sum, err := native().with(".gnu_debuglink", []byte(bad)).open(t).DebugLink()
		if name != "" || sum != 0 || err == nil || errors.Is(err, ErrNoSection) {
			t.Errorf("%q: %q, %#x, %v", bad, name, sum, err)
		}
	}
	if _, _, err := native().open(t).DebugLink(); !errors.Is(err, ErrNoSection) {
		t.Error(err)
	}
}

func TestAlternateLink(t *testing.T) {
	f := native().with(".gnu_debugaltlink", []byte("../.dwz/common\x00\xab\xcd\xef")).open(t)
	if path, id, err := f.AlternateLink(); path != "../.dwz/common" || id != "abcdef" || err != nil {
		t.Error(path, id, err)
	}
	for _, bad := range []string{"", "common", "common\x00", "\x00\xab\xcd", "common\x00" + string(make([]byte, maxBuildID+1))} {
		path, id, err := native().with(".gnu_debugaltlink", []byte(bad)).open(t).AlternateLink()
		if path != "" || id != "" || err == nil || errors.Is(err, ErrNoSection) {
			t.Errorf("%q: %q, %q, %v", bad, path, id, err)
		}
	}
}

func TestHasSymbolTable(t *testing.T) {
	table := content{name: ".symtab", kind: uint32(elf.SHT_SYMTAB), data: make([]byte, 24)}
	empty := content{name: ".symtab", kind: uint32(elf.SHT_NOBITS), claims: 24}
	for name, c := range map[string]struct {
		file image
		want bool
	}{
		"a table": {native(table), true}, "a table that was taken out": {native(empty), false}, "no table": {native(), false},
	} {
		if got := c.file.open(t).HasSymbolTable(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestALongLinkIsRefused(t *testing.T) {
	long := append(make([]byte, 5000), "a\x00\x00\x00\x01\x02\x03\x04"...)
	if _, _, err := native().with(".gnu_debuglink", long).open(t).DebugLink(); !errors.Is(err, errLink) {
		t.Error(err)
	}
}

func TestChecksum(t *testing.T) {
	im := native().with(".data", make([]byte, 100_000))
	if got, err := im.open(t).Checksum(); got != crc32.ChecksumIEEE(im.bytes()) || err != nil {
		t.Errorf("%#x, %v", got, err)
	}
}
