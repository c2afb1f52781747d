// Package suspects keeps moments of the profile of itself, and says from them how fast each stack's blocks in use grow, how
// sure that is, and what it means.
//
//	live blocks ─► History: the last hour in at most 32 moments, 256 stacks ─► Trend: growth ± error ─► Verdict: class and sentence
//	                                                                            Finding, of who looked for pointers ─┘
//
// # The error of a growth
//
// Growth is the least-squares slope Σ cᵢXᵢ of the bytes in use Xᵢ at the moments tᵢ. What is estimated is the slope that the
// same program shows with every allocation recorded. So the error is that of sampling alone, and it is 0 where all is recorded.
// Whether the bytes in use rise because of a leak, or only breathe, is another question, which the class answers (verdict.go).
//
// The estimates of successive moments are not independent: a block is sampled once, and then counts, or is missing, at each
// moment until it is freed. But blocks are sampled independently of each other. A block of size s, sampled with probability p
// and alive at the moments a to d, adds s/p·S(a,d) to the slope, or nothing, with S(a,d) = cₐ + … + c_d. Its variance is
// s²(1−p)/p·S², and each sampled one estimates that, without bias, by (1−p)(s/p)²·S². So a History keeps, for each stack and
// each pair (a, d), the sum of (1−p)(s/p)² over the sampled blocks that were there from a to d. They need no identity: a
// block's record has the time when it was allocated, and what a cohort lacks at the next moment was freed. Blocks that live
// between two moments only do not count at all, in X or in the error.
//
// Few samples make the estimate of the variance itself uncertain, and low whenever the estimate of a growth is low. The
// variance of the interval therefore has z²/2 times the variance of one sample added: between z²/4, as in a score interval,
// whose centre would move as well, and z². With it, intervals of 20 samples hold the truth in 95 % of 5,000 simulated runs.
//
// # Outside malloc's heap
//
// Of mapped memory, files, libraries and stacks it is known what is resident, and not what was freed of it. Each such Thing counts as one
// block without an error, in a History of its own, and is judged by its movement alone (outside.go).
//
// # Memory
//
// A stack takes 5 KB, so each of the two Histories is at most 1.3 MB, and 1 MB more while a moment is taken. When it has 32 moments, every
// second one is forgotten, or the oldest, once they reach back an hour. Where there are more than 256 stacks, those are kept
// that have the most in use or have grown the most.
package suspects
