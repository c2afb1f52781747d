package debugfile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"testing"
)

func TestASourceSaysWhenItHasDecompressedASection(t *testing.T) {
	text := []byte("a string of .debug_str\x00")
	packed := bytes.NewBuffer(binary.BigEndian.AppendUint64([]byte("ZLIB"), uint64(len(text))))
	w := zlib.NewWriter(packed)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	file := image{".zdebug_str": packed.Bytes(), ".debug_line": text}.open(t)
	keeper := &kept{source: source{file}}
	for i := range 3 {
		again, err := source{file}.Section(".debug_str")
		if err != nil || !again.Unpacked || !bytes.Equal(again.Bytes, text) {
			t.Errorf("time %d: %+v, %v", i, again, err)
		}
		once, err := keeper.Section(".debug_str")
		if err != nil || once.Unpacked != (i == 0) || !bytes.Equal(once.Bytes, text) {
			t.Errorf("kept, time %d: %+v, %v", i, once, err)
		}
		if plain, err := keeper.Section(".debug_line"); err != nil || plain.Unpacked || plain.Size != uint64(len(text)) {
			t.Errorf("not compressed, time %d: %+v, %v", i, plain, err)
		}
	}
}
