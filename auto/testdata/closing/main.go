// Command closing imports auto and closes all descriptors but the first three as soon as main begins, as services do that were started
// by they do not know whom. Then it needs Go's poller, and has a dump made.
package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	_ "github.com/cgoheap/cgoheap/auto"
)

func main() {
	if err := unix.CloseRange(3, ^uint(0), 0); err != nil {
		fmt.Println("no close_range:", err)
		return
	}
	time.Sleep(time.Millisecond)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = listener.Close()
	}
	if err == nil {
		err = syscall.Kill(os.Getpid(), syscall.SIGUSR2)
	}
	for err == nil {
		if found, _ := filepath.Glob(filepath.Join(os.Getenv("CGOHEAP_DUMP_DIR"), "*.cgoheap.pb.gz")); len(found) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println("lives:", err)
}
