package export

import "github.com/cgoheap/cgoheap/export/internal/delivery"

// Target is a server that receives profiles: parca.New and pyroscope.New make one, for Start. Only packages of this module
// can be targets. For another kind of server, write profiles with cgoheap.ViewDelta and Selection.Advance.
type Target interface {
	delivery.Target
}
