package check

// ids finds entries of a table by their IDs, which are index + 1 in good profiles and anything in others.
type ids struct {
	list []uint64
	odd  map[uint64]int // the indexes of IDs that are not index + 1
}

func (t *ids) index(id uint64) (int, bool) {
	if i := id - 1; i < uint64(len(t.list)) && t.list[i] == id {
		return int(i), true
	}
	i, ok := t.odd[id]
	return i, ok
}

// add appends an ID and reports whether it was there before.
func (t *ids) add(id uint64) (again bool) {
	if _, again = t.index(id); !again && id != uint64(len(t.list))+1 {
		if t.odd == nil {
			t.odd = map[uint64]int{}
		}
		t.odd[id] = len(t.list)
	}
	t.list = append(t.list, id)
	return again
}

func (c *checker) checkIDs() {
	for i := range c.mappings {
		c.checkID(&c.mappingIDs, c.mappings[i].id, mappingID, "mapping[%d]", i)
	}
	for i := range c.functions {
		c.checkID(&c.functionIDs, c.functions[i].id, functionID, "function[%d]", i)
	}
	for i := range c.locations {
		c.checkID(&c.locationIDs, c.locations[i].id, locationID, "location[%d]", i)
	}
}

// checkID adds the entry's ID to the table.
func (c *checker) checkID(table *ids, id uint64, r ruleID, where string, index int) {
	again := table.add(id)
	switch {
	case id == 0:
		c.found(idZero, where, index)
	case again:
		c.found(idTwice, where, index)
	case id != uint64(index)+1:
		c.found(r, where, index)
	}
}
