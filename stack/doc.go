// Package stack serves cgoheap alone: it may change in any release, and promises nothing to other modules.
//
// It holds weighted stacks: what a heap profile is before anything in it has a name. It is pure data and knows nothing of
// where stacks come from or where they go.
//
// # Two moments
//
// A profile has two kinds of values for each stack. In use is a state: it is true at one moment. Allocated is a counter: it
// has run since the recording began. So there are two ways to compare two moments. Both need only the four values that each
// stack had at the earlier one, which a Baseline keeps:
//
//	            then     now      Delta   Growth
//	allocated   100      130       30        -     a rate: who allocates, between the two
//	in use       80       60       60      -20     a state; and how it moved, of either sign: who leaks
//
// A delta has the present in-use values, not their differences, because servers that add up deltas to a history (Pyroscope,
// Parca) want the rate of a counter and the level of a state. Growth is the difference that servers cannot compute. It has
// no allocations, because a negative counter has no meaning.
//
// A counter may fall, because a recorder that estimates makes errors. Taken as a delta, the fall would be negative, and
// servers drop such a sample. Taken as 0, the way back up would be counted twice unless the highest value is known. So
// Advance keeps the highest value:
//
//	counter     100       80      120
//	highest     100      100      120
//	delta                  0       20
//
// Two samples are the same if they have the same ID within one recording, or, without IDs, the same frames, block size and
// labels. An ID has no meaning in the next recording, so a baseline drops what it knows by ID when the profile's Start shows
// a new recording.
//
// # The largest
//
// Servers refuse profiles of too many samples. Nearly all bytes are held by few stacks, so a cut profile is as good as the
// whole one if its total stays right. Top keeps the largest samples and returns the sum of the others, so that the writer of
// the profile can add it as one more sample. Where totals must stay right within groups, such as Go's heap and native
// memory, there is one sum for each group.
package stack
