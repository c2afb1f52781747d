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
