package otlp

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/post"
)

// Config sets where the collector is and whose profiles these are. Only Address is required.
type Config struct {
	Address string // http://HOST:4318 or https://HOST; with GRPC usually port 4317
	GRPC    bool   // OTLP/gRPC, which is HTTP/2 without TLS for http://; otherwise OTLP/HTTP

	ServiceName string            // the resource attribute service.name; "" means unknown_service: and the program's file
	Attributes  map[string]string // further resource attributes, by the semantic conventions

	// Keys of the sample labels to keep, for example "heap" with export.Config.GoHeap. They become attributes of samples.
	SampleLabels []string

	User, Password  string // basic authentication
	BearerToken     string
	BearerTokenFile string      // read before each call, so that it may change
	Header          http.Header // further headers

	TLS   *tls.Config                           // nil: the system's authorities
	Proxy func(*http.Request) (*url.URL, error) // nil: http.ProxyFromEnvironment
}

const (
	pathHTTP  = "/v1development/profiles"
	procedure = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
)

// New makes a target for export.Start, and connects to nothing yet. An error names the invalid part of the Config.
func New(c Config) (export.Target, error) {
	r, err := c.resources()
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	to := post.Config{
		Address: c.Address, Path: pathHTTP, ContentType: "application/x-protobuf",
		Encode: r.encode, Check: rejected,
		Apart: true, SampleLabels: c.SampleLabels, Series: r.name, FinalErrors: true,
		User: c.User, Password: c.Password, BearerToken: c.BearerToken, BearerTokenFile: c.BearerTokenFile, Header: c.Header,
		TLS: c.TLS, Proxy: c.Proxy,
	}
	if c.GRPC {
		to.GRPC, to.Path, to.ContentType = true, procedure, ""
	}
	target, err := post.New(to)
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	return target, nil
}
