package bench

// branch is one binary tree of calls: from the root, bits of the path choose left or right at each of treeDepth levels,
// and each level has a call site of its own. The leaf allocates a block that stays in use.
var branch [2]func(depth, path int)

// treeDepth is such that with the last branch, the leaf and the goroutine's own function a stack has stackDepth frames.
const treeDepth = stackDepth - 3

var kept [][]byte

func init() { branch = [2]func(depth, path int){left, right} }

//go:noinline
func leaf(path int) { kept = append(kept, make([]byte, 16+16*(path%4))) }

//go:noinline
func left(depth, path int) {
	switch depth {
	case 0:
		leaf(path)
	case 1:
		branch[path>>0&1](depth-1, path)
	case 2:
		branch[path>>1&1](depth-1, path)
	case 3:
		branch[path>>2&1](depth-1, path)
	case 4:
		branch[path>>3&1](depth-1, path)
	case 5:
		branch[path>>4&1](depth-1, path)
	case 6:
		branch[path>>5&1](depth-1, path)
	case 7:
		branch[path>>6&1](depth-1, path)
	case 8:
		branch[path>>7&1](depth-1, path)
	case 9:
		branch[path>>8&1](depth-1, path)
	case 10:
		branch[path>>9&1](depth-1, path)
	case 11:
		branch[path>>10&1](depth-1, path)
	case 12:
		branch[path>>11&1](depth-1, path)
	case 13:
		branch[path>>12&1](depth-1, path)
	case 14:
		branch[path>>13&1](depth-1, path)
	case 15:
		branch[path>>14&1](depth-1, path)
	case 16:
		branch[path>>15&1](depth-1, path)
	case 17:
		branch[path>>16&1](depth-1, path)
	case 18:
		branch[path>>0&1](depth-1, path)
	case 19:
		branch[path>>1&1](depth-1, path)
	case 20:
		branch[path>>2&1](depth-1, path)
	case 21:
		branch[path>>3&1](depth-1, path)
	case 22:
		branch[path>>4&1](depth-1, path)
	case 23:
		branch[path>>5&1](depth-1, path)
	case 24:
		branch[path>>6&1](depth-1, path)
	case 25:
		branch[path>>7&1](depth-1, path)
	case 26:
		branch[path>>8&1](depth-1, path)
	case 27:
		branch[path>>9&1](depth-1, path)
	}
}

//go:noinline
func right(depth, path int) {
	switch depth {
	case 0:
		leaf(path)
	case 1:
		branch[path>>0&1](depth-1, path)
	case 2:
		branch[path>>1&1](depth-1, path)
	case 3:
		branch[path>>2&1](depth-1, path)
	case 4:
		branch[path>>3&1](depth-1, path)
	case 5:
		branch[path>>4&1](depth-1, path)
	case 6:
		branch[path>>5&1](depth-1, path)
	case 7:
		branch[path>>6&1](depth-1, path)
	case 8:
		branch[path>>7&1](depth-1, path)
	case 9:
		branch[path>>8&1](depth-1, path)
	case 10:
		branch[path>>9&1](depth-1, path)
	case 11:
		branch[path>>10&1](depth-1, path)
	case 12:
		branch[path>>11&1](depth-1, path)
	case 13:
		branch[path>>12&1](depth-1, path)
	case 14:
		branch[path>>13&1](depth-1, path)
	case 15:
		branch[path>>14&1](depth-1, path)
	case 16:
		branch[path>>15&1](depth-1, path)
	case 17:
		branch[path>>16&1](depth-1, path)
	case 18:
		branch[path>>0&1](depth-1, path)
	case 19:
		branch[path>>1&1](depth-1, path)
	case 20:
		branch[path>>2&1](depth-1, path)
	case 21:
		branch[path>>3&1](depth-1, path)
	case 22:
		branch[path>>4&1](depth-1, path)
	case 23:
		branch[path>>5&1](depth-1, path)
	case 24:
		branch[path>>6&1](depth-1, path)
	case 25:
		branch[path>>7&1](depth-1, path)
	case 26:
		branch[path>>8&1](depth-1, path)
	case 27:
		branch[path>>9&1](depth-1, path)
	}
}
