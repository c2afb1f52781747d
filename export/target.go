package export

import "github.com/cgoheap/cgoheap/export/internal/delivery"

// Target is a server that receives profiles: parca.New and pyroscope.New make one, for Start, and post.New makes one of any
// other server that takes profiles in one call. Only packages of this module can be targets of another kind.
type Target interface {
	delivery.Target
}
