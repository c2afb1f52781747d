// Command proto compiles .proto files into Go files beside them.
//
//	go run . FILE.proto...
//
// It is protoc and protoc-gen-go in one, both as Go modules of fixed versions, so that the same input gives the same
// output on every machine, and `git diff` shows whether a generated file is current. A file must be self-contained, and
// is registered in the Go program under its import path, which no other module's file has.
package main
