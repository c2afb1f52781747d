module github.com/cgoheap/cgoheap/tools/tests

go 1.25.0
