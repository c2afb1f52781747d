package flame

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/pprof/profile"
)

// Node is a function in the tree, called by its parent. Its value includes its children's.
type Node struct {
	Name     string // as in the profile
	File     string
	Kind     Kind
	Value    int64
	Children []*Node // the heaviest first
}

// New makes a tree from the values of one sample type, such as inuse_space. Its root stands for the whole profile.
func New(p *profile.Profile, sampleType string) (*Node, error) {
	index := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == sampleType })
	if index < 0 {
		return nil, fmt.Errorf("the profile has no samples of type %q", sampleType)
	}
	b := builder{children: map[edge]*Node{}}
	root := &Node{Name: "all"}
	for _, sample := range p.Sample {
		b.add(root, sample.Location, sample.Value[index])
	}
	b.sort(root)
	return root, nil
}

// edge is a call: the same function under another parent is another node.
type edge struct {
	parent   *Node
	function string // or the address, if there is no name
	file     string
}

// builder finds the node that an edge leads to.
type builder struct {
	children map[edge]*Node
}

func (b *builder) add(root *Node, leafFirst []*profile.Location, value int64) {
	if value == 0 {
		return
	}
	root.Value += value
	node := root
	for _, location := range slices.Backward(leafFirst) {
		if len(location.Line) == 0 {
			node = b.unnamed(node, location)
			node.Value += value
		}
		for _, line := range slices.Backward(location.Line) {
			node = b.named(node, line.Function)
			node.Value += value
		}
	}
}

func (b *builder) named(parent *Node, f *profile.Function) *Node {
	return b.child(edge{parent: parent, function: f.Name, file: f.Filename}, KindOf(f))
}

func (b *builder) unnamed(parent *Node, location *profile.Location) *Node {
	file := ""
	if location.Mapping != nil {
		file = location.Mapping.File
	}
	return b.child(edge{parent, fmt.Sprintf("%#x", location.Address), file}, Unknown)
}

func (b *builder) child(e edge, kind Kind) *Node {
	node := b.children[e]
	if node == nil {
		node = &Node{Name: e.function, File: e.file, Kind: kind}
		b.children[e] = node
		e.parent.Children = append(e.parent.Children, node)
	}
	return node
}

func (b *builder) sort(n *Node) {
	slices.SortFunc(n.Children, func(x, y *Node) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File))
	})
	for _, child := range n.Children {
		b.sort(child)
	}
}
