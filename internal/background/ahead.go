package background

import "iter"

// Ahead yields what a sequence does. Meanwhile a goroutine makes the next pair, and no more than that one. A panic of the sequence is one
// of the caller.
func Ahead[K, V any](name string, sequence iter.Seq2[K, V]) iter.Seq2[K, V] {
	type pair struct {
		first  K
		second V
	}
	return func(yield func(K, V) bool) {
		made, enough := make(chan pair), make(chan struct{})
		var failed error
		go func() {
			defer close(made)
			failed = Guard(name, func() {
				for first, second := range sequence {
					select {
					case made <- pair{first, second}:
					case <-enough:
						return
					}
					if isClosed(enough) { // it was not the caller who took the pair
						return
					}
				}
			})
		}()
		defer func() { // the sequence is nobody's when this returns
			close(enough)
			for range made {
			}
		}()
		for p := range made {
			if !yield(p.first, p.second) {
				return
			}
		}
		if failed != nil {
			panic(failed)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
