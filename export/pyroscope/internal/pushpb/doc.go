// Package pushpb holds the messages of Pyroscope's push API, generated from push.proto.
package pushpb

//go:generate go run -C ../../../../tools/proto . ../../export/pyroscope/internal/pushpb/push.proto
