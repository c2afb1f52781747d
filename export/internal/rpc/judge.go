package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"connectrpc.com/connect"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// judge reports whether a call that failed may be made again. The HTTP status decides, unless it is 200, as it is with gRPC,
// or there was none; then the code does.
func (c *Client) judge(err error, o *observation) *delivery.Failure {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := &delivery.Failure{RetryAfter: o.retryAfter}
	if o.status == 0 || o.status == http.StatusOK {
		f.Verdict = ofCode(connect.CodeOf(err))
		f.Err = errors.New(c.Line(err.Error(), ""))
		if wait := retryInfo(err); wait > 0 { // only a server that expects to have time later sends one
			f.Verdict, f.RetryAfter = delivery.Later, wait
		}
	} else {
		f.Verdict = ofStatus(o.status)
		f.Err = fmt.Errorf("%d %s: %s", o.status, http.StatusText(o.status), c.Line(err.Error(), ""))
	}
	return f
}

// status judges an answer to a path by its HTTP status alone; it is nil if that is a success.
func (c *Client) status(response *http.Response, path string) *delivery.Failure {
	if response.StatusCode/100 == 2 {
		return nil
	}
	return &delivery.Failure{Err: errors.New(c.Line(response.Status, path)), Verdict: ofStatus(response.StatusCode)}
}

func ofStatus(status int) delivery.Verdict {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return delivery.Later
	}
	if status >= 500 {
		return delivery.Doubtful
	}
	return delivery.Refused
}

// ofCode: without an answer, connect makes Unavailable of whatever kept the server from being reached, and DeadlineExceeded
// of its silence. ResourceExhausted is what gRPC servers say both when they are called too often and when the message is
// too long for them.
func ofCode(code connect.Code) delivery.Verdict {
	switch code {
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeAborted:
		return delivery.Later
	case connect.CodeResourceExhausted, connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		return delivery.Doubtful
	}
	return delivery.Refused
}

const mostReasonRunes = 300

// line is the beginning of a text, in one line that can be printed.
func line(text string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	if len(runes) > mostReasonRunes {
		return string(runes[:mostReasonRunes]) + "..."
	}
	return string(runes)
}
