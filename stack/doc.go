// Package stack holds weighted stacks: what a heap profile is before anything in it has a name. It is pure data and
// knows nothing of where stacks come from or where they go.
package stack
