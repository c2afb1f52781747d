package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// Method is one that takes a message and answers one, or takes a stream of messages.
type Method[Request, Answer any] struct {
	client  *Client
	connect *connect.Client[Request, Answer]
}

// NewMethod is the method of a procedure, /package.Service/Method.
func NewMethod[Request, Answer any](c *Client, procedure string) *Method[Request, Answer] {
	return &Method[Request, Answer]{c, connect.NewClient[Request, Answer](c.http, c.address+procedure, c.options...)}
}

// Call sends a request. Its error is an *delivery.Failure.
func (m *Method[Request, Answer]) Call(ctx context.Context, r *Request) (*Answer, error) {
	request := connect.NewRequest(r)
	if err := m.client.authorize(request.Header()); err != nil {
		return nil, &delivery.Failure{Err: err, Verdict: delivery.Later}
	}
	ctx, seen := observe(ctx)
	response, err := m.connect.CallUnary(ctx, request)
	if err != nil {
		return nil, m.client.judge(err, seen)
	}
	return response.Msg, nil
}

// Stream sends the messages that next returns, until that is io.EOF. Its error is an *delivery.Failure, or the one of next.
func (m *Method[Request, Answer]) Stream(ctx context.Context, next func() (*Request, error)) (*Answer, error) {
	ctx, cancel := context.WithCancel(ctx) // ends the stream when next fails
	defer cancel()
	ctx, seen := observe(ctx)
	stream := m.connect.CallClientStream(ctx)
	if err := m.client.authorize(stream.RequestHeader()); err != nil {
		return nil, &delivery.Failure{Err: err, Verdict: delivery.Later}
	}
	for {
		message, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if stream.Send(message) != nil {
			break // CloseAndReceive says why
		}
	}
	response, err := stream.CloseAndReceive()
	if err != nil {
		return nil, m.client.judge(err, seen)
	}
	return response.Msg, nil
}

// NewRaw is the method of a procedure whose messages are encoded and decoded elsewhere. Requests are gzipped.
func NewRaw(c *Client, procedure string) *Method[[]byte, []byte] {
	options := append(c.options[:len(c.options):len(c.options)], connect.WithCodec(raw{}), connect.WithSendGzip())
	return &Method[[]byte, []byte]{c, connect.NewClient[[]byte, []byte](c.http, c.address+procedure, options...)}
}

// raw is a codec of messages that are bytes already. It takes the place of the one of protocol buffers, with which connect
// reads the details of errors, too.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(message any) ([]byte, error) {
	switch m := message.(type) {
	case *[]byte:
		return *m, nil
	case proto.Message:
		return proto.Marshal(m)
	}
	return nil, fmt.Errorf("%T is not a message", message)
}

func (raw) Unmarshal(data []byte, message any) error {
	switch m := message.(type) {
	case *[]byte:
		*m = append((*m)[:0], data...) // connect uses data again
		return nil
	case proto.Message:
		return proto.Unmarshal(data, m)
	}
	return fmt.Errorf("%T is not a message", message)
}
