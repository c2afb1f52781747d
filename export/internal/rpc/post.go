package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// protobuf is the content type of messages, which an error of OTLP is too.
const protobuf = "application/x-protobuf"

// Post sends a body of this content type, gzipped, to a path under the server's address, and returns the body of the answer.
// Its error is a *delivery.Failure.
func (c *Client) Post(ctx context.Context, path, contentType string, body []byte) ([]byte, error) {
	request, err := c.request(ctx, path, body)
	if err != nil {
		return nil, &delivery.Failure{Err: errors.New(c.Line(err.Error(), path)), Verdict: delivery.Later}
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Content-Encoding", "gzip")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &delivery.Failure{Err: errors.New(c.Line(err.Error(), path)), Verdict: delivery.Later}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostAnswerBytes))
	if refusal := c.status(response, path); refusal != nil {
		return nil, c.refused(response, refusal, answer, path)
	}
	if err != nil {
		return nil, &delivery.Failure{Err: fmt.Errorf("reading the answer: %s", c.Line(err.Error(), path)), Verdict: delivery.Later}
	}
	return answer, nil
}

func (c *Client) request(ctx context.Context, path string, body []byte) (*http.Request, error) {
	zipped, err := gzipped(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+path, bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	return request, c.authorize(request.Header)
}

func gzipped(body []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// refused adds to a refusal what the answer says.
func (c *Client) refused(response *http.Response, refusal *delivery.Failure, answer []byte, path string) *delivery.Failure {
	text := string(answer)
	if strings.HasPrefix(response.Header.Get("Content-Type"), protobuf) {
		text = messageOf(answer)
	}
	if text = c.Line(text, path); text != "" {
		refusal.Err = fmt.Errorf("%w: %s", refusal.Err, text)
	}
	refusal.RetryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	return refusal
}

// messageOf returns the field message of a google.rpc.Status, and "" for what is none.
func messageOf(status []byte) string {
	const fieldMessage = 2
	for len(status) > 0 {
		number, kind, n := protowire.ConsumeTag(status)
		if n < 0 {
			return ""
		}
		status = status[n:]
		if number == fieldMessage && kind == protowire.BytesType {
			text, _ := protowire.ConsumeBytes(status)
			return string(text)
		}
		if n = protowire.ConsumeFieldValue(number, kind, status); n < 0 {
			return ""
		}
		status = status[n:]
	}
	return ""
}
