package mappings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// opener opens what a module was loaded from. The caller closes the files.
type opener interface {
	// Open opens the very file that was mapped, never another one that has taken its path since.
	Open(*Module) (*elffile.File, error)
	// OpenHead reads its first bytes as they lie in memory: ELF header, program headers and usually the build ID.
	OpenHead(*Module) (*elffile.File, error)
}

// inspectAll finds the loaded files behind mappings, ascending by address, and the ranges of code without a file. Bias and build
// ID come from the file, or else from its head in memory; then Err is the reason. Without either, the bias is guessed: the
// start of the load's first mapping − its offset.
func inspectAll(mappings []mapping, open opener) (modules []Module, made []Range) {
	mappings = slices.Clone(mappings)
	slices.SortStableFunc(mappings, func(a, b mapping) int { return cmp.Compare(a.Start, b.Start) })
	returnMoved(mappings, open)

	for _, mapped := range byFile(mappings) {
		modules = append(modules, modulesOfFile(mapped, open)...)
	}
	slices.SortFunc(modules, func(a, b Module) int { return cmp.Compare(a.Ranges[0].Start, b.Ranges[0].Start) })
	return modules, codeWithoutFile(mappings)
}

// byFile groups the mappings of files that have code in the process.
func byFile(mappings []mapping) map[fileKey][]mapping {
	files := make(map[fileKey][]mapping)
	for _, m := range mappings {
		if m.loaded() {
			files[m.file()] = append(files[m.file()], m)
		}
	}
	for key, mapped := range files {
		if !slices.ContainsFunc(mapped, func(m mapping) bool { return m.executable() }) {
			delete(files, key)
		}
	}
	return files
}

// modulesOfFile makes one module of each load of a file.
func modulesOfFile(mapped []mapping, open opener) []Module {
	first := mapped[0]
	file := Module{
		Path: first.Path, Deleted: first.Deleted, Device: first.Device, Inode: first.Inode, mapped: mapped,
	}
	known := segmentBiases(file.inspect(open), mapped)
	biases := make([]uint64, len(mapped))
	for i, start := 0, 0; i < len(mapped); i++ {
		if i > 0 && restarts(&mapped[i-1], &mapped[i]) {
			start = i
		}
		bias, ok := known[mapped[i].Start]
		if !ok {
			bias = guessedBias(&mapped[start])
		}
		biases[i] = bias
		if !ok && mapped[i].executable() && file.Err == nil {
			file.Err = fmt.Errorf("%s: no segment holds the code mapped from offset %#x", file.Path, mapped[i].Offset)
		}
	}
	return splitByBias(file, biases)
}

// restarts reports whether a mapping begins another load of the file, judged by offsets alone: within a load they ascend,
// but two mappings of unlike permissions may share a page of the file.
func restarts(last, m *mapping) bool {
	return m.Offset < last.Offset || m.Offset == last.Offset && m.Perms == last.Perms
}

// inspect reads the ELF file of a module, and returns its segments.
func (m *Module) inspect(open opener) []elffile.Segment {
	file, err := open.Open(m)
	if err != nil {
		m.Err = err
		if file, err = open.OpenHead(m); err != nil {
			return nil
		}
	}
	defer file.Close()
	if m.Err == nil {
		m.Written = written(file)
	}
	if m.BuildID, err = file.BuildID(); err != nil && m.Err == nil {
		m.Err = err
	}
	if m.Err == nil && file.Truncated() {
		m.Err = fmt.Errorf("%s: the file ends before its segments do", m.Path)
	}
	return file.Segments()
}

// splitByBias makes a separate module of the executable mappings of each bias.
func splitByBias(file Module, biases []uint64) []Module {
	var modules []Module
	for i, m := range file.mapped {
		if !m.executable() {
			continue
		}
		at := slices.IndexFunc(modules, func(known Module) bool { return known.Bias == biases[i] })
		if at < 0 {
			at = len(modules)
			modules = append(modules, file)
			modules[at].Bias = biases[i]
		}
		modules[at].extend(Range{m.Start, m.Limit})
	}
	return modules
}

// extend adds a range above all others.
func (m *Module) extend(r Range) {
	if last := len(m.Ranges) - 1; last >= 0 && r.Start <= m.Ranges[last].Limit {
		m.Ranges[last].Limit = max(m.Ranges[last].Limit, r.Limit)
		return
	}
	m.Ranges = append(m.Ranges, r)
}
