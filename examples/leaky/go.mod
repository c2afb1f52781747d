module github.com/cgoheap/cgoheap/examples/leaky

go 1.25.0

replace github.com/cgoheap/cgoheap => ../..

require (
	github.com/cgoheap/cgoheap v0.1.0
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/mattn/go-sqlite3 v1.14.52
	golang.org/x/image v0.41.0
)

require (
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	github.com/klauspost/compress v1.18.2 // indirect
	golang.org/x/sys v0.44.0 // indirect
	golang.org/x/text v0.37.0 // indirect
)
