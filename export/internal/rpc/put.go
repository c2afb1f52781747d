package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

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
