package rpc

import (
	"context"
	"errors"
	"io"

	"connectrpc.com/connect"

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
