package pprof

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/stack"
)

func TestColumnsSayWhichValuesAreWritten(t *testing.T) {
	for _, c := range []struct {
		columns Columns
		types   []string
		values  []int64
	}{
		{AllColumns, []string{"alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"}, []int64{4, 3, 2, 1}},
		{InuseColumns, []string{"inuse_objects/count", "inuse_space/bytes"}, []int64{2, 1}},
		{AllocatedColumns, []string{"alloc_objects/count", "alloc_space/bytes"}, []int64{4, 3}},
	} {
		r := recording{header: Header{Columns: c.columns}, samples: []recordedSample{
			{values: stack.Values{AllocObjects: 4, AllocBytes: 3, InuseObjects: 2, InuseBytes: 1}},
		}}
		p := r.read(t)
		var types []string
		for _, v := range p.SampleType {
			types = append(types, v.Type+"/"+v.Unit)
		}
		if diff := cmp.Diff(c.types, types) + cmp.Diff(c.values, p.Sample[0].Value); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDefaultTypeIsInUseUnlessSaidOtherwise(t *testing.T) {
	for _, c := range []struct {
		header Header
		want   string
	}{
		{Header{}, "inuse_space"},
		{Header{Columns: InuseColumns}, "inuse_space"},
		{Header{Columns: AllocatedColumns}, "alloc_space"},
		{Header{DefaultType: "alloc_objects"}, "alloc_objects"},
	} {
		r := recording{header: c.header}
		if got := r.read(t).DefaultSampleType; got != c.want {
			t.Errorf("%+v: default type %s, want %s", c.header, got, c.want)
		}
	}
}

func TestBadHeaderIsAnErrorAndNothingIsWritten(t *testing.T) {
	for _, c := range []struct {
		header Header
		want   string
	}{
		{Header{Compression: 10}, "no compression 10: the levels of gzip are 1 to 9"},
		{Header{Compression: -2}, "no compression -2"},
		{Header{Columns: 3}, "no columns 3"},
		{Header{DefaultType: "inuse"}, `"inuse" is not one of`},
		{Header{Columns: AllocatedColumns, DefaultType: "inuse_space"}, `"inuse_space" is not one of`},
	} {
		var b bytes.Buffer
		e := NewEncoder(&b, c.header)
		e.Comment("lost")
		e.Location(Location{Address: 1})
		for _, err := range []error{e.Sample(nil, &stack.Sample{}), e.Close(), e.Close()} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v, want one with %q", c.header, err, c.want)
			}
		}
		if b.Len() > 0 {
			t.Errorf("%+v: %d bytes written", c.header, b.Len())
		}
	}
}

func TestCompressionChangesNothingButTheBytes(t *testing.T) {
	r := large()
	r.header.Compression = Uncompressed
	var raw bytes.Buffer
	if err := r.write(&raw); err != nil {
		t.Fatal(err)
	}
	for level := FastGzip; level <= 9; level++ {
		r.header.Compression = level
		var b bytes.Buffer
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		if b.Len() >= raw.Len() {
			t.Errorf("level %d: %d bytes, uncompressed %d", level, b.Len(), raw.Len())
		}
		if !bytes.Equal(decompress(t, b.Bytes()), raw.Bytes()) {
			t.Errorf("level %d holds another message", level)
		}
	}
}
