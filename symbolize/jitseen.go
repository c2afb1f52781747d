package symbolize

import "hash/maphash"

// Code made at run time is freed, and other code comes to its place. A list for GDB has only what is there now, but a stack
// may have been taken before. So it is remembered what the lists said of an address when it was first asked for. As
// long as they say the same, its name is taken to be that of the code in the stacks. If they say something else, or no
// more, or at first had no name, then the stacks may be of either code, and the address never has a name again.
//
// What remains is code that came or went before its address was first asked for, or for so short a time that the lists
// said the same before and after.
type jitSeen struct {
	said map[uint64]uint64 // by address: the hash of the name, or one of the values below
	seed maphash.Seed
}

const (
	saidNothing uint64 = iota
	saidSeveral        // at different times
	saidNames          // and above
)

// seenLimit bounds the addresses that are remembered, at about 40 bytes each. Those above it have no name.
const seenLimit = 1 << 15

// judge takes their names from wants for which the lists did not always say the same. If the lists were not read to their
// end, nothing follows from a missing name.
func (s *jitSeen) judge(wants []madeWant, whole bool) {
	if s.said == nil {
		s.said, s.seed = make(map[uint64]uint64), maphash.MakeSeed()
	}
	for i := range wants {
		w := &wants[i]
		if w.name == nil && !whole {
			continue
		}
		now := saidNothing
		if w.name != nil {
			now = max(maphash.Bytes(s.seed, w.name), saidNames)
		}
		then, known := s.said[w.address]
		switch {
		case !known && len(s.said) >= seenLimit:
			w.name = nil
		case !known:
			s.said[w.address] = now
		case then != now:
			s.said[w.address] = saidSeveral
			w.name, w.replaced = nil, true
		}
	}
}
