//go:build !linux

package remote

import (
	"errors"
	"os"
)

// mapFile fails.
func mapFile(*os.File, int, int64) ([]byte, func(), error) { return nil, nil, errors.ErrUnsupported }

// copyChanging fails.
func copyChanging(*os.File, int64, []part, part) ([]byte, func(), error) {
	return nil, nil, errors.ErrUnsupported
}
