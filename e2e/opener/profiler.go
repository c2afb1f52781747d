//go:build linux && cgo && profiler

package main

import _ "github.com/cgoheap/cgoheap"
