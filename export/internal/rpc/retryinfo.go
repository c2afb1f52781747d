package rpc

import (
	"errors"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

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
