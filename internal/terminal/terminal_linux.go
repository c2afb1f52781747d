package terminal

import (
	"io"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/background"
)

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func sizeOf(f *os.File) (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// prepare has the terminal pass each key on at once, and not show it. Ctrl-C still is a signal. Ctrl-Z is not: the screen would stay.
func (s *Screen) prepare(in io.Reader) error {
	resized, signals := make(chan struct{}, 1), make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGWINCH)
	ended := make(chan struct{})
	go background.Run("waiting for another size", func() {
		for {
			select {
			case <-signals:
				select {
				case resized <- struct{}{}:
				default: // it will be read anyway
				}
			case <-ended:
				return
			}
		}
	}, nil)
	s.Resized = resized
	s.restore = func() { signal.Stop(signals); close(ended) }
	f, ok := in.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		s.restore()
		return err
	}
	quiet := *before
	quiet.Lflag &^= unix.ICANON | unix.ECHO
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME], quiet.Cc[unix.VSUSP] = 1, 0, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &quiet); err != nil {
		s.restore()
		return err
	}
	stop := s.restore
	s.restore = func() {
		_ = unix.IoctlSetTermios(fd, unix.TCSETS, before)
		stop()
	}
	s.Keys = keysOf(f, ended)
	return nil
}

// keysOf reads keys until the screen is closed. A read that waits then waits on until a key comes, or the command ends.
func keysOf(f *os.File, ended <-chan struct{}) <-chan byte {
	keys := make(chan byte)
	go background.Run("reading keys", func() {
		for one := make([]byte, 1); ; {
			if n, err := f.Read(one); n == 0 || err != nil {
				return
			}
			select {
			case keys <- one[0]:
			case <-ended:
				return
			}
		}
	}, nil)
	return keys
}
