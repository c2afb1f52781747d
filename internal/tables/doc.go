// Package tables reads what hooks have recorded: the samples, the blocks in use and the stacks of a region, whose layout is
// package layout's.
//
// A region is read as untrusted: it lies in memory that a stray pointer of the program may hit, or belongs to another process.
// An offset outside it reads as zero, which ends every chain. A chain that loops ends when it is longer than the region has
// room for. So there is no panic, and work is bounded by the region's size; the content of overwritten tables may still be
// wrong.
//
// The values of a sample are sums of the weights that its blocks got when they were sampled; nothing is scaled or averaged here.
// The sums are rounded to whole numbers by a random threshold that each site keeps, so that totals are unbiased (weight.go).
package tables
