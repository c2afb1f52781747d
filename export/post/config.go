package post

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/cgoheap/cgoheap/export/internal/rpc"
)

// Config sets where the server is and how it is spoken to. Address, Path and Encode are required, and ContentType for HTTP.
type Config struct {
	Address     string // http://HOST:PORT or https://HOST, with the path under which the server is, if any
	Path        string // of the call, under Address; for gRPC the procedure, /package.Service/Method
	GRPC        bool   // a unary call of gRPC, which is HTTP/2 without TLS for http://; otherwise an HTTP POST
	ContentType string // of what Encode returns; with GRPC that is a message of protocol buffers

	// Encode returns the body of a call, before compression with gzip. It is called again for each attempt, and must not
	// change the Moment. A moment on which it fails is counted as refused, with the error.
	Encode func(*Moment) ([]byte, error)

	// Check reads the body of an answer that is a success, 1 MiB at most. With an error, what was sent is counted as refused
	// and is not sent again. nil takes every success for an arrival.
	Check func(answer []byte) error

	// Apart asks for two profiles of each moment: the memory in use, without a duration, and what was allocated since the
	// last moment. Otherwise both are in one.
	Apart bool

	// SampleLabels are the keys of the sample labels to keep, for example "heap" with export.Config.GoHeap.
	SampleLabels []string

	// Series distinguishes targets at the same server whose profiles are not added up there, for example by a service's name.
	// A recovered profile is sent once for each.
	Series string

	// FinalErrors drops what the server fails on, for example with 500 or internal. Otherwise that is sent again,
	// export.Config.Attempts times.
	FinalErrors bool

	User, Password  string // basic authentication
	BearerToken     string
	BearerTokenFile string      // read before each call, so that it may change
	Header          http.Header // further headers

	TLS   *tls.Config                           // nil: the system's authorities
	Proxy func(*http.Request) (*url.URL, error) // nil: http.ProxyFromEnvironment
}

// Moment is what one call sends.
type Moment struct {
	Profiles [][]byte // one or, with Config.Apart, up to two, in the format profile.proto, gzipped

	// Recovered says that the profile is the last one of a process that died. It should be told from those of this process,
	// for example by a label recovered="true".
	Recovered bool
}

func (c *Config) check() error {
	switch {
	case !strings.HasPrefix(c.Path, "/"):
		return errors.New("the path does not begin with a '/'")
	case c.Encode == nil:
		return errors.New("there is no function Encode")
	case c.GRPC && c.ContentType != "":
		return errors.New("there is a ContentType, and gRPC has its own")
	case !c.GRPC && c.ContentType == "":
		return errors.New("there is no ContentType")
	}
	return nil
}

func (c *Config) rpc() rpc.Config {
	return rpc.Config{
		Address: c.Address, User: c.User, Password: c.Password,
		BearerToken: c.BearerToken, BearerTokenFile: c.BearerTokenFile,
		Header: c.Header.Clone(), TLS: c.TLS, Proxy: c.Proxy, GRPC: c.GRPC,
	}
}
