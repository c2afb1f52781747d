//go:build profiler

package main

import _ "github.com/cgoheap/cgoheap"
