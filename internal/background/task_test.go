package background

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

func TestTask(t *testing.T) {
	t.Run("what is asked for while it runs makes it run once more", func(t *testing.T) {
		began, goOn := make(chan bool), make(chan bool)
		e := New("test", func() { began <- true; <-goOn }, nil)
		e.Ask()
		<-began
		for range 10 {
			e.Ask()
		}
		goOn <- true
		<-began
		goOn <- true
		e.End()
		select {
		case <-began:
			t.Error("it ran a third time")
		default:
		}
	})

	t.Run("its goroutine ends, and another starts when it is asked for again", func(t *testing.T) {
		runs := 0
		e := New("test", func() { runs++ }, nil)
		for range 3 {
			e.Ask()
			e.finished.Wait()
		}
		if e.running || runs != 3 {
			t.Errorf("running %t, %d runs", e.running, runs)
		}
	})

	t.Run("it runs again after what it ran has ended the goroutine", func(t *testing.T) {
		runs := 0
		e := New("test", func() { runs++; runtime.Goexit() }, nil)
		for range 3 {
			e.Ask()
			e.finished.Wait()
		}
		e.End()
		if runs != 3 {
			t.Errorf("%d runs", runs)
		}
	})

	t.Run("after its end it does not run", func(t *testing.T) {
		e := New("test", func() { t.Error("it ran") }, nil)
		e.End()
		e.Ask()
		e.End()
	})
}

func TestPanics(t *testing.T) {
	t.Run("one is reported with its stack, and the task runs again", func(t *testing.T) {
		var reported []error
		e := New("the test", func() { explode() }, func(err error) { reported = append(reported, err) })
		for range 2 {
			e.Ask()
			e.finished.Wait()
		}
		if len(reported) != 2 {
			t.Fatal(reported)
		}
		p := (*Panic)(nil)
		if !errors.As(reported[1], &p) || p.Error() != "the test panicked: boom" || !strings.Contains(p.Stack, "explode") {
			t.Errorf("%+v", reported[1])
		}
	})

	t.Run("one of the report goes no further", func(*testing.T) {
		e := New("the test", explode, func(error) { explode() })
		e.Ask()
		e.finished.Wait() // End might come before it has begun
	})
}

func explode() { panic("boom") }

func TestApart(t *testing.T) {
	t.Run("what runs apart has ended when it returns", func(t *testing.T) {
		done := make([]bool, 3)
		Apart("test", func() { done[0] = true }, func() { done[1] = true }, func() { done[2] = true })
		if !done[0] || !done[1] || !done[2] {
			t.Error(done)
		}
	})
	t.Run("a panic is the caller's, after all have ended", func(t *testing.T) {
		ended := false
		defer func() {
			var p *Panic
			if err, _ := recover().(error); !errors.As(err, &p) || p.Cause != "fault" || !ended {
				t.Errorf("%v, %t", err, ended)
			}
		}()
		Apart("test", func() { panic("fault") }, func() { ended = true })
		t.Error("it returned")
	})
}
