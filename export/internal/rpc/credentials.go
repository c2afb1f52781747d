package rpc

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

const mostTokenBytes = 64 << 10

// authorize sets the headers of one call.
func (c *Config) authorize(h http.Header) error {
	for name, values := range c.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	token := c.BearerToken
	switch {
	case c.User != "" || c.Password != "":
		pair := base64.StdEncoding.EncodeToString([]byte(c.User + ":" + c.Password))
		h.Set("Authorization", "Basic "+pair)
		return nil
	case c.BearerTokenFile != "":
		var err error
		if token, err = readToken(c.BearerTokenFile); err != nil {
			return fmt.Errorf("reading the bearer token: %w", err)
		}
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
