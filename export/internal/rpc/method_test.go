package rpc

import (
	"encoding/base64"
	"errors"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

func TestRawMessagesGoAsTheyLie(t *testing.T) {
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { standin.GRPC(w, []byte("\xffanswer")) })
	client, _ := dial(t, Config{Address: server.URL, GRPC: true, BearerToken: "secret"})
	request := []byte("\xff\x00 no message")
	answer, err := NewRaw(client, procedure).Call(t.Context(), &request)
	if err != nil || string(*answer) != "\xffanswer" {
		t.Fatalf("%v, %v", answer, err)
	}
	got := server.Calls()[0]
	if got.Path != procedure || got.Header.Get("Content-Type") != "application/grpc" || got.Header.Get("Grpc-Encoding") != "gzip" ||
		got.Header.Get("Authorization") != "Bearer secret" || len(got.Body) < 5 || got.Body[0] != 1 {
		t.Fatalf("%s with %v and %q", got.Path, got.Header, got.Body)
	}
	if text := unzipped(t, got.Body[5:]); text != string(request) {
		t.Errorf("the message is %q", text)
	}
}

// bytesField is a field of a message.
func bytesField(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func TestRetryInfoOfGRPC(t *testing.T) {
	duration := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 17)
	for about, c := range map[string]struct {
		info []byte
		want delivery.Failure
	}{
		"a time":    {bytesField(1, duration), delivery.Failure{Verdict: delivery.Later, RetryAfter: 17 * time.Second}},
		"no time":   {nil, delivery.Failure{Verdict: delivery.Doubtful}},
		"a damaged": {[]byte{0x0a, 0xff}, delivery.Failure{Verdict: delivery.Doubtful}},
	} {
		detail := append(bytesField(1, []byte("type.googleapis.com/google.rpc.RetryInfo")), bytesField(2, c.info)...)
		status := append([]byte{8, byte(connect.CodeResourceExhausted)}, bytesField(2, []byte("too much"))...)
		status = append(status, bytesField(3, detail)...)
		server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(status))
			standin.GRPCError(w, int(connect.CodeResourceExhausted), "too much")
		})
		client, _ := dial(t, Config{Address: server.URL, GRPC: true})
		request := []byte("request")
		_, err := NewRaw(client, procedure).Call(t.Context(), &request)
		var f *delivery.Failure
		if !errors.As(err, &f) || f.Verdict != c.want.Verdict || f.RetryAfter != c.want.RetryAfter || f.Error() != "resource_exhausted: too much" {
			t.Errorf("%s: %+v, want %+v", about, f, c.want)
		}
	}
}
