//go:build shared

package main

import "C"

// Testify lets a C program that loaded this library hear the witness.
//
//export Testify
func Testify() { testify() }
