package rpc

import (
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Config has the address of the server and the credentials.
type Config struct {
	Address         string // http://HOST:PORT or https://HOST, with the path under which it serves, if any
	User, Password  string // basic authentication
	BearerToken     string
	BearerTokenFile string
	Header          http.Header
	TLS             *tls.Config                           // nil: the system's authorities
	Proxy           func(*http.Request) (*url.URL, error) // nil: as the environment says
	GRPC            bool                                  // otherwise the Connect protocol
}

// base is the address without a final slash.
func (c *Config) base() (string, error) {
	u, err := url.Parse(c.Address)
	switch {
	case err != nil:
		return "", errors.New("the address is not a URL") // not repeated here: it may hold a password
	case u.User != nil:
		return "", errors.New("the address holds a user or a password; they have fields of their own")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the address is %s; it must be like http://host:4040 or https://host", shown(c.Address))
	case u.Scheme == "http" && c.TLS != nil:
		return "", fmt.Errorf("the address is %s, and there is a TLS configuration, which is for https", shown(c.Address))
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func (c *Config) checkCredentials() error {
	given := 0
	for _, is := range []bool{c.User != "" || c.Password != "", c.BearerToken != "", c.BearerTokenFile != ""} {
		if is {
			given++
		}
	}
	if given > 1 {
		return errors.New("only one of basic authentication, bearer token and token file may be set")
	}
	return nil
}

const mostTokenBytes = 64 << 10

// authorize sets the headers of one call.
func (c *Client) authorize(h http.Header) error {
	given := &c.config
	for name, values := range given.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	token := given.BearerToken
	switch {
	case given.User != "" || given.Password != "":
		pair := base64.StdEncoding.EncodeToString([]byte(given.User + ":" + given.Password))
		h.Set("Authorization", "Basic "+pair)
		return nil
	case given.BearerTokenFile != "":
		var err error
		if token, err = readToken(given.BearerTokenFile); err != nil {
			return fmt.Errorf("reading the bearer token: %w", err)
		}
		c.secrets.meet(token)
	}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	return nil
}

func readToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostTokenBytes))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", errors.New(path + " is empty")
	}
	return token, nil
}
