// Package floorplan is the map of the house as a test: which rooms there are, and which may open a door to which.
//
//	auto
//	 └► root, cmd
//	     └► report
//	         └► pprof
//	             └► alloc, goheap, symbolize
//	                 └► cgo, mappings, unwind, internal/pclntab, internal/debugfile
//	                     └► stack, check, internal/elffile and the other readers of formats
//
// A room imports only rooms on floors below its own. Tests may look into any room. cgo is the only room with a door to
// "C", apart from internal/victim, which tests alone import, and the examples. C sources are kept away from platforms
// that they do not fit, each room begins with an essay in doc.go, and a folder with Go files that is not on the map is
// an error. A nested module is a house of its own and is not looked at.
//
// The test parses the files itself. One that runs `go list` is cached by `go test`, which does not see that the files it
// depends on have changed.
package floorplan
