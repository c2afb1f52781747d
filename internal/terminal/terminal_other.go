//go:build !linux

package terminal

import (
	"errors"
	"io"
	"os"
)

func isTerminal(*os.File) bool { return false }

func sizeOf(*os.File) (columns, rows int) { return 0, 0 }

func (s *Screen) prepare(io.Reader) error { return errors.ErrUnsupported }

func (f *Footer) listen() {}

func inForeground(*os.File) bool { return true }
