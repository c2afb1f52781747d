package background

import (
	"errors"
	"iter"
	"testing"
	"time"
)

// countTo yields the numbers below n and their squares, and counts how many it has begun to yield.
func countTo(n int, begun *int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range n {
			if *begun++; !yield(i, i*i) {
				return
			}
		}
	}
}

func TestAhead(t *testing.T) {
	t.Run("it yields all pairs, in order", func(t *testing.T) {
		begun, next := 0, 0
		for i, square := range Ahead("test", countTo(1000, &begun)) {
			if i != next || square != i*i {
				t.Fatalf("%d and %d after %d pairs", i, square, next)
			}
			next++
		}
		if next != 1000 {
			t.Error(next)
		}
	})

	t.Run("it makes no more than one pair that is not wanted, and the sequence has ended when it returns", func(t *testing.T) {
		for range 100 {
			begun, ended := 0, false
			sequence := func(yield func(int, int) bool) {
				countTo(1000, &begun)(yield)
				ended = true
			}
			for i := range Ahead("test", sequence) {
				if i == 10 {
					break
				}
			}
			if begun > 12 || !ended {
				t.Fatal(begun, ended)
			}
		}
	})

	t.Run("the next pair is made while one is looked at", func(t *testing.T) {
		second := make(chan bool)
		for i := range Ahead("test", func(yield func(int, int) bool) {
			yield(0, 0)
			close(second)
			yield(1, 1)
		}) {
			if i != 0 {
				continue
			}
			select {
			case <-second:
			case <-time.After(10 * time.Minute):
				t.Fatal("it waits for the caller")
			}
		}
	})

	t.Run("a panic of the sequence is the caller's", func(t *testing.T) {
		seen := 0
		err := Guard("the caller", func() {
			for range Ahead("the sequence", func(yield func(int, int) bool) {
				yield(0, 0)
				panic("on purpose")
			}) {
				seen++
			}
		})
		var of *Panic
		if !errors.As(err, &of) || seen != 1 || of.Cause.(error).Error() != "the sequence panicked: on purpose" {
			t.Error(err, seen)
		}
	})

	t.Run("a panic of the caller ends the sequence", func(t *testing.T) {
		begun, ended := 0, false
		err := Guard("the caller", func() {
			for range Ahead("the sequence", func(yield func(int, int) bool) {
				defer func() { ended = true }()
				countTo(1000, &begun)(yield)
			}) {
				panic("on purpose")
			}
		})
		if err == nil || !ended || begun > 2 {
			t.Error(err, ended, begun)
		}
	})
}
