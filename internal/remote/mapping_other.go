//go:build !linux

package remote

import (
	"errors"
	"os"
)

// mapFile fails.
func mapFile(*os.File, int) ([]byte, func(), error) { return nil, nil, errors.ErrUnsupported }
