// Command brink records a large library that allocates on the requested number of stacks, and then waits for a dump, which
// must succeed when little memory is left.
//
//	brink LIBRARY STACKS
//
// It writes a line when all stacks are there, and ends when its standard input does.
package main
