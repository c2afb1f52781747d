package truth

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// allocator is the function from which a visit allocates; what called it is the way to there.
const allocator = "main.(*visit).all"

// Way is a short name of how a visit came to where it allocates, from the frames below that; "" for frames that are not
// those of a visit, as in a thread that never enters Go.
func Way(frames []string) string {
	at := slices.Index(frames, allocator)
	if at < 0 {
		return ""
	}
	hash := fnv.New64a()
	hash.Write([]byte(strings.Join(frames[at:], "\n")))
	return fmt.Sprintf("%x", hash.Sum64())
}
