package rpc

import (
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
)

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
