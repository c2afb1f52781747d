package page

import (
	"maps"
	"slices"
)

func (b *builder) sawLabel(key, value string) {
	seen := b.values[key]
	if seen == nil {
		if len(b.values) == mostValues {
			return
		}
		seen = make(map[string]bool)
		b.values[key] = seen
	}
	if len(seen) < mostValues {
		seen[value] = true
	}
}

// labels lists what labels there are, in order.
func (b *builder) labels() {
	for key, seen := range b.values {
		b.made.Labels[key] = slices.Sorted(maps.Keys(seen))
	}
}
