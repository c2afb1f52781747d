package background

import (
	"errors"
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	failed := errors.New("it failed")
	if n, err := Within(time.Hour, "test", func() (int, error) { return 3, nil }, nil); n != 3 || err != nil {
		t.Error(n, err)
	}
	if _, err := Within(time.Hour, "test", func() (int, error) { return 3, failed }, nil); !errors.Is(err, failed) {
		t.Error(err)
	}
	var of *Panic
	if _, err := Within(time.Hour, "test", func() (int, error) { panic("on purpose") }, nil); !errors.As(err, &of) {
		t.Error(err)
	}

	answer, late := make(chan int), make(chan int)
	n, err := Within(time.Nanosecond, "test", func() (int, error) { return <-answer, nil }, func(n int) { late <- n })
	if n != 0 || err == nil || err.Error() != "test: there is no answer after 1ns" {
		t.Error(n, err)
	}
	answer <- 7
	if n := <-late; n != 7 {
		t.Error(n)
	}
}
