package truth

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// allocator is the function from which a visit allocates; its callers are the way to it.
const allocator = "main.(*visit).all"

// Way returns a short name for how a visit reached its allocation, from the frames below it; "" if the frames are not a
// visit's, as in a thread that never enters Go.
func Way(frames []string) string {
	at := slices.Index(frames, allocator)
	if at < 0 {
		return ""
	}
	hash := fnv.New64a()
	hash.Write([]byte(strings.Join(frames[at:], "\n")))
	return fmt.Sprintf("%x", hash.Sum64())
}
