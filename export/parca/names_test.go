package parca_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/cgoheap/cgoheap/export/pyroscope"
)

// A program in which two messages have one name, or two files one path, panics before main. The host may well have the
// messages of Parca and Pyroscope.
func TestMessagesHaveNamesThatNobodyElseUses(t *testing.T) {
	if _, err := pyroscope.New(pyroscope.Config{Address: "http://localhost"}); err != nil { // its messages are linked
		t.Fatal(err)
	}
	ours := 0
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		name, path := string(f.Package()), f.Path()
		switch {
		case strings.HasPrefix(name, "cgoheap.") && strings.HasPrefix(path, "github.com/cgoheap/cgoheap/"):
			ours++
		case strings.HasPrefix(path, "google/protobuf/"), strings.HasPrefix(path, "connectext/"):
		default:
			t.Errorf("%s of package %s", path, name)
		}
		return true
	})
	if ours != 3 {
		t.Errorf("%d files of messages", ours)
	}
}
