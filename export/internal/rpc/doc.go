// Package rpc calls the methods of a profile server, by the Connect protocol, gRPC or a plain POST, and judges what comes back.
//
//	Method.Call ─► credentials, headers ─► connect ─► witness ─► net/http
//	            ◄─ *delivery.Failure ◄── judge ◄── status, Retry-After
//	Client.Post ─► credentials, headers, gzip ─────────────────► net/http
//	            ◄─ *delivery.Failure ◄── status, Retry-After, the answer's text
//
// Whether a call may be made again depends on the HTTP status, which connect turns into a code of its own and so loses:
// 408 and 413 both come out as unknown. The witness stands between connect and net/http and notes it.
//
// Credentials are read for each call: a token in a file is renewed by someone else while the program runs. They go to the
// address that was given and nowhere else: a redirect is not followed, because it would take them along.
//
// # Answers
//
// A server's answer may be long or binary, and repeat the credentials. It is read up to a bound, and one line of an error is kept,
// without any secret that the client knows (secrets.go). An error of gRPC may
// have a time to wait among its details (google.rpc.RetryInfo), and an error of a POST may be a message (google.rpc.Status).
package rpc
