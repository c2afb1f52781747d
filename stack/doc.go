// Package stack holds weighted stacks: what a heap profile is before anything in it has a name. It is pure data and
// knows nothing of where stacks come from or where they go.
//
// # Two moments
//
// Every profile says two things of each stack. What is in use is a state: it is true at one moment. What was allocated is
// a counter: it has run since the recording began. So there are two ways to compare two moments, and both need only the
// four values that each stack had at the earlier one, which a Baseline keeps:
//
//	            then     now      Delta   Growth
//	allocated   100      130       30        -     a rate: who allocates, between the two
//	in use       80       60       60      -20     a state; and how it moved, of either sign: who leaks
//
// A delta has what is in use as it is now, not as a difference, because those who add up deltas to a history (Pyroscope,
// Parca) want the rate of a counter and the level of a state. Growth is the difference that they cannot make, and has no
// allocations at all, because a negative number among counters means nothing.
//
// A counter may fall: a recorder that makes estimates has faults. Taken as a delta, the fall would be
// negative, and servers drop such a sample. Taken as 0, the way back up would be counted a second time unless it is
// known how high the counter has been. So Advance keeps the highest value:
//
//	counter     100       80      120
//	highest     100      100      120
//	delta                  0       20
//
// What makes two samples the same is the recorder's ID within one recording, and frames, block size and labels together
// for those that have none. An ID means nothing in the next recording, so a baseline drops what it knows by ID when the
// profile's Start says that there is one.
//
// # The largest
//
// Servers refuse profiles of too many samples. Nearly all bytes are held by few stacks, so a cut profile is as good as
// the whole one as long as it stays honest: Top keeps the largest and says what the others sum up to, so that whoever
// writes the profile can add it as one more sample, and the total is that of the process. Where totals must stay right
// within groups, such as Go's heap and native memory, there is one sum for each.
package stack
