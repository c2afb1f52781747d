// Package estimate computes the errors that sampling may make.
//
// A block of s bytes is sampled with probability p = 1 − e^(−(s+1)/T), T being the mean bytes between samples, and then
// stands for s/p bytes (Horvitz and Thompson). The sum over the sampled blocks is right on average, and its variance is
// the sum over all blocks of s²·(1−p)/p; for counts of objects, of (1−p)/p. No other error may remain: the estimates of many
// runs must scatter around the truth by that much, and their mean must approach the truth as the number of runs grows.
package estimate
