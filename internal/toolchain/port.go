//go:build unix

package toolchain

import (
	"fmt"
	"syscall"
	"testing"
)

// FreePort returns a port of 127.0.0.1 that belongs to the test until it ends: a socket is bound to it, but does not listen.
// The kernel gives such a port to nobody who asks for any port, nor to a connection. A program that names it can listen there,
// on Linux, because Go allows that of all its listeners (SO_REUSEADDR) as this socket does. Until then, connections are refused.
func FreePort(t testing.TB) int {
	t.Helper()
	syscall.ForkLock.RLock() // no program that is started meanwhile keeps the socket
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	address, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return address.(*syscall.SockaddrInet4).Port
}

// Loopback returns HOST:PORT of a port of 127.0.0.1.
func Loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
