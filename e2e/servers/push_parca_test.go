package servers

import (
	"errors"
	"fmt"
	"testing"
)

func TestParcaGivesBackWhatWasPushed(t *testing.T) {
	server := startParca(t, "")
	local, data := anyProfile(t)
	mustPush(t, data, "-parca", server.url, "-name", "cgo_memory", "-service", "fixed")

	for _, kind := range fourKinds {
		want := mustStacks(t, local, kind)
		query := fmt.Sprintf(`cgo_memory:%s:space:bytes{job="fixed"}`, kind)
		eventually(t, "reading back", func() error {
			last, err := server.last(query)
			if err != nil {
				return err
			}
			got, err := server.stacks(query, last.at, kind)
			return errors.Join(err, differ(kind, got, want), namesTheGuilty(got))
		})
	}
}

func TestParcaShowsWhatTheLoopPushes(t *testing.T) {
	server := startParca(t, "")
	keeper := startKeeper(t, "-parca", server.url)
	allocate(t, keeper, "keep", 4096, 100)
	allocate(t, keeper, "lend", 1000, 50)
	awaitPushed(t, keeper)

	mustOffer(t, server.types, []string{
		"memory:alloc_objects:count:space:bytes:delta", "memory:alloc_space:bytes:space:bytes:delta",
		"memory:inuse_objects:count:space:bytes", "memory:inuse_space:bytes:space:bytes",
	})
	const labels = `{job="keeper", region="here"}`
	const query = "memory:inuse_space:bytes:space:bytes" + labels
	eventually(t, "comparing what is in use", func() error {
		local := localStacks(t, keeper, "inuse_space:bytes")
		awaitPushed(t, keeper)
		last, err := server.last(query)
		if err != nil {
			return err
		}
		got, err := server.stacks(query, last.at, "inuse_space:bytes")
		return errors.Join(err, differ("in use", got, local), amountsDiffer(got, stacks{kept: 4096 * 100, lent: 0}))
	})
	eventually(t, "adding up deltas", func() error {
		return allocationsDiffer(server, "keeper", stacks{kept: 4096 * 100, lent: 1000 * 50})
	})
}
