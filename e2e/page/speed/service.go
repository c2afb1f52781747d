package main

import (
	"bufio"
	"fmt"
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
	s := &service{command: exec.Command(program)}
	s.command.Env = append(os.Environ(), "CGOHEAP_SAMPLE_BYTES=1", "CGOHEAP_SUSPECTS=true", "CGOHEAP_TIMELINE=true", "CGOHEAP_LOG=error")
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%v did not start: %w, %q", s.command, err, line)
	}
	s.url = "http://" + strings.TrimSpace(line)
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
