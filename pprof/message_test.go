package pprof

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

var update = flag.Bool("update", false, "write the golden files")

// field is one field of a message as it lies on the wire: a number, or bytes.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

func fields(t *testing.T, b []byte) []field {
	t.Helper()
	var all []field
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 || n != varintSize(v) {
			t.Fatalf("a varint of %d bytes at % x", n, b[:min(len(b), 12)])
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		tag := next()
		f := field{number: int(tag >> 3), value: next()}
		if tag&7 == kindBytes {
			f.bytes, b = b[:f.value:f.value], b[f.value:]
		}
		all = append(all, f)
	}
	return all
}

func messages(t *testing.T, r *recording) []field {
	t.Helper()
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	return fields(t, decompress(t, b.Bytes()))
}

func decompress(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTextAndFunctionsAndLocationsPrecedeTheirUse(t *testing.T) {
	var texts, functions, locations uint64
	below := func(what string, v, limit uint64) {
		if v > limit {
			t.Errorf("%s %d is used before it is written", what, v)
		}
	}
	for _, f := range messages(t, leak()) {
		switch f.number {
		case profileStringTable:
			texts++
		case profileFunction:
			functions++
			for _, g := range fields(t, f.bytes)[1:] {
				if g.number <= functionFilename {
					below("string", g.value+1, texts)
				}
			}
		case profileLocation:
			locations++
			for _, g := range fields(t, f.bytes) {
				if g.number == locationLine {
					below("function", fields(t, g.bytes)[0].value, functions)
				}
			}
		case profileSample:
			for _, b := range fields(t, f.bytes)[0].bytes {
				below("location", uint64(b), locations)
			}
		}
	}
}

// fieldNames are the names of profile.proto's fields, by message and number.
var fieldNames = map[string][]string{
	"": {"", "sample_type:ValueType", "sample:Sample", "mapping:Mapping", "location:Location", "function:Function",
		"string_table:text", "drop_frames", "keep_frames", "time_nanos", "duration_nanos", "period_type:ValueType", "period",
		"comment", "default_sample_type"},
	"ValueType": {"", "type", "unit"},
	"Sample":    {"", "location_id:packed", "value:packed", "label:Label"},
	"Label":     {"", "key", "str", "num", "num_unit"},
	"Mapping": {"", "id", "memory_start", "memory_limit", "file_offset", "filename", "build_id", "has_functions",
		"has_filenames", "has_line_numbers", "has_inline_frames"},
	"Location": {"", "id", "mapping_id", "address", "line:Line"},
	"Line":     {"", "function_id", "line", "column"},
	"Function": {"", "id", "name", "system_name", "filename", "start_line"},
}

// readable prints a message like protoc --decode does.
func readable(t *testing.T, out *strings.Builder, message, indent string, all []field) {
	texts := 0
	for _, f := range all {
		name, kind, _ := strings.Cut(fieldNames[message][f.number], ":")
		switch kind {
		case "":
			fmt.Fprintf(out, "%s%s: %d\n", indent, name, f.value)
		case "text":
			fmt.Fprintf(out, "%s%s: %q # %d\n", indent, name, f.bytes, texts)
			texts++
		case "packed":
			fmt.Fprintf(out, "%s%s:", indent, name)
			for b := f.bytes; len(b) > 0; {
				v, n := binary.Uvarint(b)
				fmt.Fprintf(out, " %d", int64(v))
				b = b[n:]
			}
			out.WriteString("\n")
		default:
			fmt.Fprintf(out, "%s%s {\n", indent, name)
			readable(t, out, kind, indent+"  ", fields(t, f.bytes))
			fmt.Fprintf(out, "%s}\n", indent)
		}
	}
}

func TestMessagesOfALeak(t *testing.T) {
	var out strings.Builder
	readable(t, &out, "", "", messages(t, leak()))
	path := filepath.Join("testdata", "leak.golden")
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the messages are not those of %s (-update writes it):\n%s", path, out.String())
	}
}

func TestLengthsOfAllSizesComeOutAsWritten(t *testing.T) {
	for _, size := range []int{0, 1, 126, 127, 128, 129, 16381, 16383, 16384, 16385, 1 << 21} {
		var w wire
		w.number(1, 5)
		start := w.begin(2)
		w = append(w, bytes.Repeat([]byte{7}, size)...)
		w.end(start)
		w.number(3, 6)
		all := fields(t, w)
		if len(all) != 3 || len(all[1].bytes) != size || bytes.Count(all[1].bytes, []byte{7}) != size || all[2].value != 6 {
			t.Errorf("a message of %d bytes comes out as %d", size, len(all[1].bytes))
		}
	}
}

func TestVarintSizeIsThatOfTheEncoding(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1} {
			if got, want := varintSize(v), len(binary.AppendUvarint(nil, v)); got != want {
				t.Errorf("varintSize(%d) = %d, want %d", v, got, want)
			}
		}
	}
}
