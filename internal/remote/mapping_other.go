//go:build !linux

package remote

import (
	"errors"
	"os"
)

// mapFile fails.
func mapFile(*os.File, int, int64) ([]byte, func(), error) { return nil, nil, errors.ErrUnsupported }
