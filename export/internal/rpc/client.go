package rpc

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"connectrpc.com/connect"
)

// Client holds the connections to one server.
type Client struct {
	config  Config
	address string
	http    *http.Client
	plain   *http.Client // to other servers, which may speak HTTP/1.1 alone
	options []connect.ClientOption
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
	client := &Client{
		config:  c,
		address: address,
		http:    &http.Client{Transport: &witness{c.transport(c.GRPC)}, CheckRedirect: noRedirect},
		plain:   &http.Client{Transport: c.transport(false), CheckRedirect: noRedirect},
		options: []connect.ClientOption{connect.WithReadMaxBytes(mostAnswerBytes)},
	}
	if c.GRPC {
		client.options = append(client.options, connect.WithGRPC())
	}
	return client, nil
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transport speaks HTTP/2 alone for gRPC, which is h2c without TLS, and 1.1 or 2 otherwise. The pings find a server that
// went without a word: without them, its connection would be used for a quarter of an hour.
func (c *Config) transport(grpc bool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!grpc)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(grpc)
	return &http.Transport{
		Proxy:                  c.proxy(),
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:        c.tls(),
		TLSHandshakeTimeout:    10 * time.Second,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second},
		MaxIdleConns:           2,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: mostHeaderBytes,
	}
}

func (c *Config) proxy() func(*http.Request) (*url.URL, error) {
	if c.Proxy != nil {
		return c.Proxy
	}
	return http.ProxyFromEnvironment
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

// Close closes the connections that are not in use.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.plain.CloseIdleConnections()
}
