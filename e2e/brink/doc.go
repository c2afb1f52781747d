// Command brink records a large library that allocates on as many stacks as it is asked for, and then waits: for a dump that
// must succeed when little memory is left.
//
//	brink LIBRARY STACKS
//
// It writes a line when all stacks are there, and ends when its standard input does.
package main
