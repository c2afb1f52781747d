package servers

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestPyroscopeGivesBackWhatWasPushed(t *testing.T) {
	server := startPyroscope(t)
	local, data := anyProfile(t)
	mustPush(t, data, "-pyroscope", server.url, "-name", "cgo_memory", "-service", "fixed")

	for _, kind := range fourKinds {
		want := mustStacks(t, local, kind)
		eventually(t, "reading back", func() error {
			from, to := lately()
			got, err := server.sum(fmt.Sprintf("cgo_memory:%s:space:bytes", kind), `{service_name="fixed"}`, from, to)
			return errors.Join(err, differ(kind, got, want), namesTheGuilty(got))
		})
	}
}

func TestPyroscopeShowsWhatTheLoopPushes(t *testing.T) {
	server := startPyroscope(t)
	keeper := startKeeper(t, "-pyroscope", server.url)
	allocate(t, keeper, "keep", 4096, 100)
	allocate(t, keeper, "lend", 1000, 50)
	awaitPushed(t, keeper)

	mustOffer(t, server.types, []string{
		"memory:alloc_objects:count:space:bytes", "memory:alloc_space:bytes:space:bytes",
		"memory:inuse_objects:count:space:bytes", "memory:inuse_space:bytes:space:bytes",
	})
	mustHaveSeries(t, server, map[string]string{"service_name": "keeper", "region": "here", "__name__": "memory"})
	eventually(t, "adding up allocations", func() error {
		return allocationsDiffer(server, "keeper", stacks{kept: 4096 * 100, lent: 1000 * 50})
	})
	eventually(t, "comparing what is in use", func() error {
		local, settled := localStacks(t, keeper, "inuse_space:bytes"), time.Now()
		awaitPushed(t, keeper)
		return inUseDiffers(server, settled, local)
	})
}

// inUseDiffers compares the server's memory in use since some time. Pyroscope adds profiles up, so each value counts once
// per profile.
func inUseDiffers(server *pyroscopeServer, from time.Time, local stacks) error {
	_, to := lately()
	got, err := server.sum("memory:inuse_space:bytes:space:bytes", `{service_name="keeper", region="here"}`, from, to)
	if err != nil {
		return err
	}
	profiles := got.of(kept) / local.of(kept)
	if profiles == 0 {
		return errors.New("no profile yet")
	}
	want := stacks{}
	for stack, value := range local {
		want[stack] = value * profiles
	}
	return differ(fmt.Sprintf("in use, %d times", profiles), got, want)
}

// mustHaveSeries waits for a series that has at least these labels.
func mustHaveSeries(t *testing.T, server *pyroscopeServer, want map[string]string) {
	t.Helper()
	eventually(t, fmt.Sprintf("looking for a series %v", want), func() error {
		series, err := server.series(`{service_name="keeper"}`)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(series, func(labels map[string]string) bool { return includes(labels, want) }) {
			return fmt.Errorf("there are %v", series)
		}
		return nil
	})
}

func includes(labels, want map[string]string) bool {
	for name, value := range want {
		if labels[name] != value {
			return false
		}
	}
	return true
}
