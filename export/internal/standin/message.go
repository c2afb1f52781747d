package standin

import (
	"encoding/binary"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message is a message of protobuf, decoded without knowing its type.
type Message map[protowire.Number]*Values

// Values are the values of one field, in their order.
type Values struct {
	Bytes   [][]byte
	Numbers []uint64
}

// Decode decodes a message of fields that are varints or bytes.
func Decode(t testing.TB, data []byte) Message {
	t.Helper()
	m := Message{}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			t.Fatalf("a message is damaged: % x", data)
		}
		data = data[n:]
		if m[number] == nil {
			m[number] = &Values{}
		}
		switch kind {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(data)
			m[number].Numbers = append(m[number].Numbers, v)
			data = data[max(n, 0):]
		case protowire.BytesType:
			b, n := protowire.ConsumeBytes(data)
			m[number].Bytes = append(m[number].Bytes, b)
			data = data[max(n, 0):]
		default:
			t.Fatalf("field %d has the type %d", number, kind)
		}
	}
	return m
}

// Messages returns the messages of a field.
func (m Message) Messages(t testing.TB, number protowire.Number) (list []Message) {
	t.Helper()
	if m[number] == nil {
		return nil
	}
	for _, b := range m[number].Bytes {
		list = append(list, Decode(t, b))
	}
	return list
}

// Text is the first value of a field, as text; "" if there is none.
func (m Message) Text(number protowire.Number) string {
	if m[number] == nil {
		return ""
	}
	return string(m[number].Bytes[0])
}

// Number is the first value of a field, as a number; 0 if there is none.
func (m Message) Number(number protowire.Number) uint64 {
	if m[number] == nil {
		return 0
	}
	return m[number].Numbers[0]
}

// Pairs are messages of a name and a value.
func Pairs(list []Message) map[string]string {
	pairs := map[string]string{}
	for _, m := range list {
		pairs[m.Text(1)] = m.Text(2)
	}
	return pairs
}

// Frames are the messages in the body of a gRPC call, which must not be compressed.
func Frames(t testing.TB, body []byte) (messages [][]byte) {
	t.Helper()
	for len(body) > 0 {
		if len(body) < 5 || body[0] != 0 || int(binary.BigEndian.Uint32(body[1:5])) > len(body)-5 {
			t.Fatalf("%d bytes are no frame of gRPC", len(body))
		}
		end := 5 + int(binary.BigEndian.Uint32(body[1:5]))
		messages = append(messages, body[5:end])
		body = body[end:]
	}
	return messages
}
