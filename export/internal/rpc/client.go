package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"connectrpc.com/connect"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// Client holds the connections to one server.
type Client struct {
	config  Config
	address string
	http    *http.Client
	plain   *http.Client // to other servers, which may speak HTTP/1.1 alone
	options []connect.ClientOption
	secrets secrets
}

const (
	mostAnswerBytes = 1 << 20
	mostHeaderBytes = 64 << 10
)

// New makes a client and connects to nothing yet.
func New(c Config) (*Client, error) {
	address, err := c.base()
	if err != nil {
		return nil, err
	}
	if err := c.checkCredentials(); err != nil {
		return nil, err
	}
	client := &Client{config: c, address: address, options: []connect.ClientOption{connect.WithReadMaxBytes(mostAnswerBytes)}}
	client.secrets.fixed = c.secrets()
	client.http = &http.Client{Transport: &witness{client.transport(c.GRPC)}, CheckRedirect: noRedirect}
	client.plain = &http.Client{Transport: client.transport(false), CheckRedirect: noRedirect}
	if c.GRPC {
		client.options = append(client.options, connect.WithGRPC())
	}
	return client, nil
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transport speaks HTTP/2 alone for gRPC, which is h2c without TLS, and 1.1 or 2 otherwise. The pings find a server that
// went without a word: without them, its connection would be used for a quarter of an hour.
func (c *Client) transport(grpc bool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!grpc)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(grpc)
	return &http.Transport{
		Proxy:                  c.proxy(),
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:        c.config.tls(),
		TLSHandshakeTimeout:    10 * time.Second,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second},
		MaxIdleConns:           2,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: mostHeaderBytes,
	}
}

func (c *Client) proxy() func(*http.Request) (*url.URL, error) {
	find := c.config.Proxy
	if find == nil {
		find = http.ProxyFromEnvironment
	}
	return func(r *http.Request) (*url.URL, error) {
		u, err := find(r)
		if u != nil {
			c.secrets.meet(ofUser(u.User)...)
		}
		return u, err
	}
}

func (c *Config) tls() *tls.Config {
	if c.TLS == nil {
		return nil
	}
	return c.TLS.Clone()
}

// Address returns the server's address, without a final slash and without credentials.
func (c *Client) Address() string { return c.address }

// Place returns a text that differs for servers and accounts that differ. It has the credentials, and is only to compare.
func (c *Client) Place() string {
	given := &c.config
	return fmt.Sprintf("%q %v", []string{c.address, given.User, given.BearerToken, given.BearerTokenFile}, given.Header)
}

// Line is the beginning of what a server said, in one line that can be printed, without secrets that this client knows. The values in
// the query of path are secrets too.
func (c *Client) Line(text, path string) string {
	return line(c.secrets.blank(text, ofQuery(path)...))
}

// Close closes the connections that are not in use.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.plain.CloseIdleConnections()
}

// Put sends a body to a URL that the server returned, and that is itself the permission to do so: without credentials, and
// errors do not repeat it. It may be one of a store that speaks no HTTP/2. Its error is an *delivery.Failure.
func (c *Client) Put(ctx context.Context, to string, body io.Reader, size int64) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, to, io.NopCloser(body))
	if err != nil {
		return &delivery.Failure{Err: errors.New("the server sent an invalid URL"), Verdict: delivery.Refused}
	}
	request.ContentLength = size
	response, err := c.plain.Do(request)
	if err != nil {
		var failure *url.Error
		if errors.As(err, &failure) {
			err = failure.Err
		}
		return &delivery.Failure{Err: fmt.Errorf("PUT to the server's upload URL: %s", c.Line(err.Error(), to)), Verdict: delivery.Later}
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, mostAnswerBytes) // so that the connection can be used again
	if refusal := c.status(response, to); refusal != nil {
		return refusal
	}
	return nil
}
