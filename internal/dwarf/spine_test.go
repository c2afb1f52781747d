package dwarf

import "testing"

func TestASpineLeadsToTheLastSpotBeforeAnEntry(t *testing.T) {
	var s spine
	u := new(unit)
	s.begin(u)
	s.pass(100, 0)
	inner := s.open(100, 0)
	for offset := uint64(110); offset < 2000; offset += 10 {
		s.pass(offset, inner)
	}
	s.pass(2000, 0)
	for _, c := range []struct {
		entry  uint64
		offset uint64
		in     int32
	}{{100, 100, 0}, {105, 100, 0}, {110, 110, inner}, {621, 110, inner}, {622, 110, inner}, {630, 630, inner}, {1999, 1670, inner},
		{5000, 2000, 0}} {
		got, ok := s.before(u, c.entry)
		if !ok || got.offset != c.offset || got.namespace != c.in {
			t.Errorf("before %d: %+v, %v, want %d in %d", c.entry, got, ok, c.offset, c.in)
		}
	}
	if got, ok := s.before(u, 99); ok {
		t.Errorf("before the first: %+v", got)
	}
	if got, ok := s.before(new(unit), 1000); ok {
		t.Errorf("of another unit: %+v", got)
	}
}

func TestAFullSpineEnds(t *testing.T) {
	var s spine
	u := new(unit)
	s.begin(u)
	for i := range uint64(2 * spineLimit) {
		s.pass(i*4, s.open(i*4, 0))
	}
	if len(s.spots)+len(s.namespaces) > spineLimit {
		t.Errorf("%d spots, %d namespaces", len(s.spots), len(s.namespaces))
	}
	if got, ok := s.before(u, 1<<40); !ok || got.namespace >= int32(len(s.namespaces)) {
		t.Errorf("%+v, %v", got, ok)
	}
}
