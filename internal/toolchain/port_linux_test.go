package toolchain

import (
	"net"
	"testing"
)

// Two programs that were given one port would be one too many.
func TestAFreePortStaysTheTests(t *testing.T) {
	port := FreePort(t)
	if _, err := net.Dial("tcp", Loopback(port)); err == nil {
		t.Error("somebody listens there")
	}
	for range 3 { // as a program is started again
		listener, err := net.Listen("tcp", Loopback(port))
		if err != nil {
			t.Fatal(err)
		}
		client, err := net.Dial("tcp", Loopback(port))
		if err != nil {
			t.Fatal(err)
		}
		client.Close()
		listener.Close()
	}
	seen := map[int]bool{port: true}
	for range 200 {
		if p := FreePort(t); seen[p] {
			t.Fatalf("%d is given twice", p)
		} else {
			seen[p] = true
		}
	}
	for range 3000 {
		listener, err := net.Listen("tcp", Loopback(0))
		if err != nil {
			t.Fatal(err)
		}
		if p := listener.Addr().(*net.TCPAddr).Port; seen[p] {
			t.Fatalf("%d is given to another listener", p)
		}
		listener.Close()
	}
}
