module github.com/cgoheap/cgoheap

go 1.25.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724
	github.com/klauspost/compress v1.18.2
	golang.org/x/sys v0.44.0
)
