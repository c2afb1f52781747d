module github.com/cgoheap/cgoheap/e2e/servers

go 1.25.0

require (
	github.com/cgoheap/cgoheap v0.1.0
	github.com/cgoheap/cgoheap/export v0.1.0
	github.com/cgoheap/cgoheap/otlp v0.1.0
	github.com/google/go-cmp v0.7.0
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/grafana/grafana-foundation-sdk/go v0.0.22
	go.yaml.in/yaml/v3 v3.0.6
	google.golang.org/protobuf v1.36.12
)

require (
	connectrpc.com/connect v1.20.0 // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	github.com/klauspost/compress v1.18.2 // indirect
	go.opentelemetry.io/proto/otlp v1.11.0 // indirect
	go.opentelemetry.io/proto/otlp/profiles/v1development v0.4.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace (
	github.com/cgoheap/cgoheap => ../..
	github.com/cgoheap/cgoheap/export => ../../export
	github.com/cgoheap/cgoheap/otlp => ../../otlp
)
