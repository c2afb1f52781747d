module github.com/cgoheap/cgoheap/e2e/bench

go 1.25.0

require (
	github.com/cgoheap/cgoheap v0.1.0
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/mattn/go-sqlite3 v1.14.52
	github.com/terminalstatic/go-xsd-validate v0.1.8
	github.com/valyala/gozstd v1.27.0
	go.yaml.in/yaml/v3 v3.0.6
)

require (
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	github.com/klauspost/compress v1.18.2 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

replace github.com/cgoheap/cgoheap => ../../
