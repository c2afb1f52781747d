// Command whole-heap keeps memory in Go and in C, and writes one profile of both. See README.md.
package main
