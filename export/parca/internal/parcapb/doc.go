// Package parcapb holds the messages of Parca's APIs for profiles and debug files, generated from the .proto files.
package parcapb

//go:generate go run -C ../../../../tools/proto . ../../export/parca/internal/parcapb/profilestore.proto ../../export/parca/internal/parcapb/debuginfo.proto
