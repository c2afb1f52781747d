//go:build !linux

package blackbox

import (
	"errors"
	"os"
	"time"
)

// Box cannot exist here.
type Box struct{}

// ErrAlive is returned by nothing here.
var ErrAlive = errors.New("its process still runs, or somebody recovers it now")

// ErrUser is returned by nothing here.
var ErrUser = errors.New("it belongs to another user")

// ErrRemoved is returned by nothing here.
var ErrRemoved = errors.New("it was removed meanwhile")

// Create fails.
func Create(string, int64) (*Box, error) { return nil, errors.ErrUnsupported }

// Take returns nothing.
func (*Box) Take() File { return File{} }

// Path returns "".
func (*Box) Path() string { return "" }

// Remove does nothing.
func (*Box) Remove() error { return nil }

// Segment cannot exist here.
type Segment struct{}

// Prefix returns "".
func Prefix() string { return "" }

// Names fails.
func Names(string) ([]string, error) { return nil, errors.ErrUnsupported }

// Open fails.
func Open(string, Options) (*os.File, error) { return nil, errors.ErrUnsupported }

// Release fails.
func Release(*os.File) error { return errors.ErrUnsupported }

// Look fails.
func Look(string, time.Duration) (*os.File, bool, error) { return nil, false, errors.ErrUnsupported }
