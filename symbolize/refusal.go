package symbolize

import (
	"errors"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// refusalReasons say what a refused file means for the addresses that it could have named. The first that fits counts.
var refusalReasons = []struct {
	err    error
	reason Reason
}{
	{elffile.ErrAllowance, DebugPacked},
	{debugfile.ErrNoAlternate, NeedsAlternate},
	{debugfile.ErrNoSplit, NeedsSplit},
	{debugfile.ErrOtherBuild, OtherDebugFile},
	{debugfile.ErrChecksum, LinkChecksum},
	{debugfile.ErrServerOff, NeedsServer},
	{debugfile.ErrNotOnServer, NotOnServer},
	{debugfile.ErrServer, ServerFailed},
}

func refusalReason(err error) Reason {
	for _, r := range refusalReasons {
		if errors.Is(err, r.err) {
			return r.reason
		}
	}
	return DebugFileBroken
}
