module github.com/cgoheap/cgoheap

go 1.25.0

require (
	github.com/chzyer/readline v1.5.1 // indirect
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	github.com/klauspost/compress v1.18.2 // indirect
	golang.org/x/sys v0.44.0 // indirect
)
