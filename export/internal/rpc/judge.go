package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

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

// retryInfo returns how long a server of gRPC asked to wait, in the detail google.rpc.RetryInfo of its error; 0 if it did not.
func retryInfo(err error) time.Duration {
	var failed *connect.Error
	if !errors.As(err, &failed) {
		return 0
	}
	for _, detail := range failed.Details() {
		if detail.Type() == "google.rpc.RetryInfo" {
			return retryDelay(detail.Bytes())
		}
	}
	return 0
}

// retryDelay reads the only field of a google.rpc.RetryInfo, a google.protobuf.Duration. 0 is for one that is damaged or past.
func retryDelay(info []byte) time.Duration {
	const fieldRetryDelay = 1
	number, kind, n := protowire.ConsumeTag(info)
	if n < 0 || number != fieldRetryDelay || kind != protowire.BytesType {
		return 0
	}
	message, n := protowire.ConsumeBytes(info[n:])
	var delay durationpb.Duration
	if n < 0 || proto.Unmarshal(message, &delay) != nil {
		return 0
	}
	return max(0, delay.AsDuration())
}

// observation is what the witness saw of a call. An answer to a stream can come while it is still being sent.
type observation struct {
	mu         sync.Mutex
	status     int // 0: there was no answer
	retryAfter time.Duration
}

type observationKey struct{}

func observe(ctx context.Context) (context.Context, *observation) {
	o := &observation{}
	return context.WithValue(ctx, observationKey{}, o), o
}

// witness notes the status of answers.
type witness struct{ *http.Transport }

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.Transport.RoundTrip(r)
	if o, ok := r.Context().Value(observationKey{}).(*observation); ok && err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.status = response.StatusCode
		o.retryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return response, err
}

// retryAfter is a number of seconds or a date (RFC 9110, 10.2.3); 0 for what is neither or is past.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
