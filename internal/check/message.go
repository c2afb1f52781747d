package check

// tables is everything but the samples, which must be known before samples can be checked.
type tables struct {
	strings     []string
	sampleTypes []valueType
	mappings    []mapping
	functions   []function
	locations   []location
	periodType  *valueType

	period, time, duration           int64
	dropFrames, keepFrames           int64
	defaultSampleType, documentation int64
	comments                         []int64
	sawTimeAgain                     bool
}

type valueType struct{ kind, unit int64 }

type mapping struct {
	id, start, limit, offset uint64
	file, buildID            int64
	functions                bool
}

type function struct {
	id                 uint64
	name, system, file int64
	startLine          int64
}

type location struct {
	id, mapping, address uint64
	lines                []uint64 // IDs of functions
}

// readTables reads everything but the samples.
func (d *decoder) readTables(message []byte) *tables {
	p := &tables{}
	d.each(message, func(f field) {
		switch f.number {
		case 1:
			p.sampleTypes = append(p.sampleTypes, d.valueType(f))
		case 3:
			p.mappings = append(p.mappings, d.mapping(f))
		case 4:
			p.locations = append(p.locations, d.location(f))
		case 5:
			p.functions = append(p.functions, d.function(f))
		case 6:
			p.strings = append(p.strings, string(d.content(f)))
		case 13:
			d.numbers(f, func(v uint64) { p.comments = append(p.comments, int64(v)) })
		default:
			d.header(f, p)
		}
	})
	return p
}

// header reads the fields that may occur at most once.
func (d *decoder) header(f field, p *tables) {
	switch f.number {
	case 7:
		p.dropFrames = d.index(f)
	case 8:
		p.keepFrames = d.index(f)
	case 9:
		p.sawTimeAgain = p.sawTimeAgain || p.time != 0
		p.time = int64(d.number(f))
	case 10:
		p.duration = int64(d.number(f))
	case 11:
		v := d.valueType(f)
		p.periodType = &v
	case 12:
		p.period = int64(d.number(f))
	case 14:
		p.defaultSampleType = d.index(f)
	case 15:
		p.documentation = d.index(f)
	}
}

func (d *decoder) valueType(f field) (v valueType) {
	d.each(d.content(f), func(f field) {
		switch f.number {
		case 1:
			v.kind = d.index(f)
		case 2:
			v.unit = d.index(f)
		}
	})
	return v
}

func (d *decoder) mapping(f field) (m mapping) {
	d.each(d.content(f), func(f field) {
		switch f.number {
		case 1:
			m.id = d.number(f)
		case 2:
			m.start = d.number(f)
		case 3:
			m.limit = d.number(f)
		case 4:
			m.offset = d.number(f)
		case 5:
			m.file = d.index(f)
		case 6:
			m.buildID = d.index(f)
		case 7:
			m.functions = d.number(f) != 0
		case 8, 9, 10:
			d.number(f)
		}
	})
	return m
}

func (d *decoder) location(f field) (l location) {
	d.each(d.content(f), func(f field) {
		switch f.number {
		case 1:
			l.id = d.number(f)
		case 2:
			l.mapping = d.number(f)
		case 3:
			l.address = d.number(f)
		case 4:
			l.lines = append(l.lines, d.line(f))
		case 5:
			d.number(f)
		}
	})
	return l
}

// line returns the ID of its function.
func (d *decoder) line(f field) (function uint64) {
	d.each(d.content(f), func(f field) {
		switch f.number {
		case 1:
			function = d.number(f)
		case 2, 3:
			d.number(f)
		}
	})
	return function
}

func (d *decoder) function(f field) (fn function) {
	d.each(d.content(f), func(f field) {
		switch f.number {
		case 1:
			fn.id = d.number(f)
		case 2:
			fn.name = d.index(f)
		case 3:
			fn.system = d.index(f)
		case 4:
			fn.file = d.index(f)
		case 5:
			fn.startLine = int64(d.number(f))
		}
	})
	return fn
}
