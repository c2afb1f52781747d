package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/leaks/truth"
)

// youngest is how long the case is at rest before its profiles are read: more than the view's default bound.
const youngest = 1200 * time.Millisecond

// observed is what a run of a case showed.
type observed struct {
	truth                      []truth.Row
	inUse, unreachable, heldBy *profile.Profile
	refused                    error             // of unreachable and heldBy
	suspects                   []cgoheap.Suspect // who know what the views found
}

// observe runs a case in a process of its own and reads its profiles while it is at rest.
func observe(path, name string, sample int64) (*observed, error) {
	c := exec.Command(path, "-case", name, "-sample", fmt.Sprint(sample), fmt.Sprintf("-first=%t", onFirstThread))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	o, err := read(out)
	return o, errors.Join(err, in.Close(), c.Wait())
}

func read(out io.Reader) (*observed, error) {
	var done truth.Case
	if err := json.NewDecoder(out).Decode(&done); err != nil {
		return nil, fmt.Errorf("reading what the case did: %w", err)
	}
	time.Sleep(youngest)
	o := &observed{truth: done.Rows}
	var err, unreachable, heldBy error
	profiles := done.URL + "pprof/cgoheap"
	o.unreachable, unreachable = get(profiles + "?view=unreachable&gc=1")
	o.heldBy, heldBy = get(profiles + "?view=heldby")
	if o.inUse, err = get(profiles); err == nil {
		o.suspects, err = suspects(done.URL + "cgoheap/")
	}
	o.refused = errors.Join(unreachable, heldBy)
	return o, err
}

// patience is how long to wait for what only a program that hangs does not do.
const patience = 10 * time.Minute

// suspects asks for them, which has moments taken, and again when the first one has been: there may be none then.
func suspects(pages string) (list []cgoheap.Suspect, err error) {
	var about struct{ Moments int }
	for end := time.Now().Add(patience); about.Moments == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return nil, fmt.Errorf("no moment was taken for the suspects in %v", patience)
		}
		if err := errors.Join(ask(pages+"suspects?format=json", new([]cgoheap.Suspect)), ask(pages+"about", &about)); err != nil {
			return nil, err
		}
	}
	err = ask(pages+"suspects?format=json", &list)
	return list, err
}

// ask decodes an answer.
func ask(url string, to any) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(to)
}

func get(url string) (*profile.Profile, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return nil, fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(text)))
	}
	return profile.Parse(response.Body)
}
