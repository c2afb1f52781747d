// Package layering tests the layers of the module: which packages there are, and which may import which.
//
//	auto
//	 └► root
//	     └► internal/serve, internal/dump, leaktest, cmd
//	         └► internal/report
//	             └► pprof
//	                 └► alloc, internal/malloc, internal/goheap, symbolize
//	                     └► cgo, mappings, internal/unwind, internal/pclntab, internal/debugfile
//	                         └► stack, internal/check, internal/elffile and the other readers of formats
//
// A package imports only packages of layers below its own. Tests, and test-only packages, may import any. cgo alone may
// import "C", apart from internal/malloc, which calls functions of allocators, internal/victim, which is for tests only, the
// linker flags in allocators, and the examples. C sources that
// users compile are kept off platforms that they do not fit, each package has an essay in doc.go, and a folder with Go files
// that is not on the plan is an error. Nested modules are not looked at.
//
// All //go:build lines of the repository come from one list. Packages that only Linux with cgo can build, and that no user
// builds, have none: internal/victim, and the modules e2e and bench.
//
// The test parses the files itself. A test that ran `go list` would be cached by `go test`, which does not notice that the
// files it depends on have changed.
package layering
