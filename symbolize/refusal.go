package symbolize

import (
	"errors"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// refusalReasons maps the error of a refused file to the reason of the addresses that it could have named. The first match
// counts.
var refusalReasons = []struct {
	err    error
	reason Reason
}{
	{elffile.ErrAllowance, debugPacked},
	{debugfile.ErrNoAlternate, needsAlternate},
	{debugfile.ErrNoSplit, NeedsSplit},
	{debugfile.ErrOtherBuild, otherDebugFile},
	{debugfile.ErrChecksum, linkChecksum},
	{debugfile.ErrServerOff, needsServer},
	{debugfile.ErrNotOnServer, notOnServer},
	{debugfile.ErrServer, serverFailed},
}

func refusalReason(err error) Reason {
	for _, r := range refusalReasons {
		if errors.Is(err, r.err) {
			return r.reason
		}
	}
	return debugFileBroken
}
