//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cuda

import "C"

import _ "github.com/cgoheap/cgoheap/cgo" // has the hooks
