package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// service is a running copy of the program.
type service struct {
	url     string
	command *exec.Cmd
}

func start(program string) (*service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	_ = listener.Close()
	s := &service{"http://" + address, exec.Command(program, address)}
	s.command.Env = append(os.Environ(), "CGOHEAP_SAMPLE_BYTES=1", "CGOHEAP_SUSPECTS=true", "CGOHEAP_TIMELINE=true", "CGOHEAP_LOG=error")
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("%v did not start: %w, %q", s.command, err, line)
	}
	time.Sleep(settling)
	return s, nil
}

// settling is how long a service works before somebody looks at it.
const settling = 3 * time.Second

func (s *service) page() string { return s.url + "/debug/cgoheap/" }

func (s *service) end() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// lend makes one request, and returns how long it took.
func (s *service) lend() (time.Duration, error) {
	begin := time.Now()
	answer, err := http.Post(s.url+"/lend", "", nil)
	if err != nil {
		return 0, err
	}
	answer.Body.Close()
	return time.Since(begin), nil
}

// memory returns a figure of the process's status, in MiB: VmRSS, or VmHWM, which was the most.
func (s *service) memory(name string) float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	_, rest, _ := strings.Cut(string(data), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(fields[0], 64)
	return kilobytes / 1024
}
