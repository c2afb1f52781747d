module github.com/cgoheap/cgoheap/bench

go 1.25.0

require (
	github.com/cgoheap/cgoheap v0.1.0
	github.com/grafana/pyroscope-go/godeltaprof v0.1.12
	github.com/mattn/go-sqlite3 v1.14.52
	github.com/ulikunitz/xz v0.5.17
)

require (
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

require (
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/klauspost/compress v1.18.6 // indirect
)

replace github.com/cgoheap/cgoheap => ../
