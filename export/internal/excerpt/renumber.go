package excerpt

import "google.golang.org/protobuf/encoding/protowire"

// writeUsed writes all of an excerpt but its samples, which it changes to the excerpt's IDs.
func (p *Profile) writeUsed(part *Part, s *samples, u *used) (out []byte) {
	u.renumber(p)
	for i, key := range s.keys {
		s.keys[i] = string(u.key(key))
	}
	strings := u.strings
	for c := (cursor{rest: p.raw}); c.next(); {
		switch c.number {
		case profileSample, profileSampleType, profileDefaultSampleType:
		case profileDurationNanos:
			if part.Duration {
				out = append(out, c.whole...)
			}
		case profileLocation:
			out = u.writeLocation(out, c.bytes)
		case profileFunction:
			if f := u.functions[idOf(&c.field)]; f.used {
				out = appendBytes(out, profileFunction, renumbered(c.bytes, anyID, f.id))
			}
		case profileStringTable:
			if !strings[0].used {
				c.bytes = nil
			}
			out, strings = appendBytes(out, profileStringTable, c.bytes), strings[1:]
		default:
			out = append(out, c.whole...)
		}
	}
	return p.writeTypes(out, s.columns)
}

// renumber gives what is used its ID in the excerpt.
func (u *used) renumber(p *Profile) {
	u.lastLocation, u.lastFunction = 0, 0
	for c := (cursor{rest: p.raw}); c.next(); {
		switch c.number {
		case profileLocation:
			u.locations[idOf(&c.field)].number(&u.lastLocation)
		case profileFunction:
			u.functions[idOf(&c.field)].number(&u.lastFunction)
		}
	}
}

func (i *item) number(last *uint64) {
	if i.used {
		*last++
		i.id = *last
	}
}

// writeLocation appends a location, if it is used.
func (u *used) writeLocation(out, message []byte) []byte {
	l := u.locations[numberIn(message, anyID, nil)]
	if !l.used {
		return out
	}
	changed := make([]byte, 0, len(message))
	for c := (cursor{rest: renumbered(message, anyID, l.id)}); c.next(); {
		if f := u.functions[numberIn(c.bytes, lineFunctionID, nil)]; c.number == locationLine && f != nil {
			changed = appendBytes(changed, locationLine, renumbered(c.bytes, lineFunctionID, f.id))
			continue
		}
		changed = append(changed, c.whole...)
	}
	return appendBytes(out, profileLocation, changed)
}

// key returns the stack and the labels of a sample with the excerpt's IDs.
func (u *used) key(key string) (changed []byte) {
	damaged := false
	for c := (cursor{rest: []byte(key)}); c.next(); {
		if c.number != sampleLocationID {
			changed = append(changed, c.whole...)
			continue
		}
		var stack []byte
		for _, id := range c.numbers(nil, &damaged) {
			if l := u.locations[id]; l != nil {
				id = l.id
			}
			stack = protowire.AppendVarint(stack, id)
		}
		changed = appendBytes(changed, sampleLocationID, stack)
	}
	return changed
}

// renumbered returns a message with another number in this field.
func renumbered(message []byte, field protowire.Number, id uint64) (changed []byte) {
	for c := (cursor{rest: message}); c.next(); {
		if c.number == field {
			changed = appendNumber(changed, field, id)
			continue
		}
		changed = append(changed, c.whole...)
	}
	return changed
}
