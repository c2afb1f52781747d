// Package rpc calls the methods of a profile server, by the Connect protocol or gRPC, and judges what comes back.
//
//	Method.Call ─► credentials, headers ─► connect ─► witness ─► net/http
//	            ◄─ *delivery.Failure ◄── judge ◄── status, Retry-After
//
// Whether a call may be made again depends on the HTTP status, which connect turns into a code of its own and so loses:
// 408 and 413 both come out as unknown. The witness stands between connect and net/http and notes it.
//
// Credentials are read for each call: a token in a file is renewed by someone else while the program runs. They go to the
// address that was given and nowhere else: a redirect is not followed, because it would take them along.
//
// # Answers
//
// A server's answer may be long or binary. It is read up to a bound, and one line of an error is kept.
package rpc
