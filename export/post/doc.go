// Package post makes a target of any server that takes the profiles of a moment in one call: an HTTP POST, or a unary call of
// gRPC. It is for servers that have no package here. The exporter's loop, queue, retries and last moments serve them, too.
//
//	target, err := post.New(post.Config{
//		Address:     "https://profiles.example",
//		Path:        "/ingest",
//		ContentType: "application/octet-stream",
//		Encode:      func(m *post.Moment) ([]byte, error) { return bytes.Join(m.Profiles, nil), nil },
//	})
//
//	gzipped profile.proto ─► Encode ─► gzip, credentials ─► the server
//	                  arrived or refused ◄── Check ◄── 2xx ◄────┘
//	         sent again, see package export ◄── other answers ◄─┘
//
// Encode and Check are the caller's. They run in the exporter's goroutine, one call at a time, never in one of the host's, and
// a panic in them becomes an error. The module github.com/cgoheap/cgoheap/otlp is built on this package.
package post
