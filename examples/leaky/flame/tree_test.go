package flame

import (
	"fmt"
	"strings"
	"testing"
)

func TestATreeAddsUp(t *testing.T) {
	root, err := New(shopProfile(), "inuse_space")
	if err != nil {
		t.Fatal(err)
	}
	want := `all 100
 main 100
  report 70
   sqlite 40
   0x77 30
  <vec&> 30
   malloc 30
`
	if got := outline(root, ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func outline(n *Node, indent string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s%s %d\n", indent, n.Name, n.Value)
	for _, child := range n.Children {
		out.WriteString(outline(child, indent+" "))
	}
	return out.String()
}

func TestASampleTypeThatIsNotThereIsAnError(t *testing.T) {
	root, err := New(shopProfile(), "contentions")
	if err == nil || !strings.Contains(err.Error(), `"contentions"`) {
		t.Errorf("error %v, want one that names the type", err)
	}
	if root != nil {
		t.Error("there is a tree besides the error")
	}
}
