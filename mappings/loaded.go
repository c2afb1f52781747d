package mappings

// Loaded returns the ranges of memory that the loader has made of the module's segments, ascending, with what begins as zero behind the
// file's part. If the file cannot be read, they are what is mapped of it.
func (m *Module) Loaded() (ranges []Range) {
	file, err := m.Open()
	if err != nil {
		for i := range m.mapped {
			ranges = append(ranges, Range{m.mapped[i].Start, m.mapped[i].Limit})
		}
		return ranges
	}
	defer file.Close()
	for _, s := range file.Segments() {
		if start, limit := m.Bias+s.Vaddr, m.Bias+s.Vaddr+s.Memsz; start < limit {
			ranges = append(ranges, Range{RuntimeAddr(start), RuntimeAddr(limit)})
		}
	}
	return ranges
}
