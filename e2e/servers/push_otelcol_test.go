package servers

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// byProtocol runs a test for each protocol by which keeper pushes to a collector.
func byProtocol(t *testing.T, run func(t *testing.T, flag string, address func(*collectorServer) string)) {
	t.Run("HTTP", func(t *testing.T) { run(t, "-otlp", func(c *collectorServer) string { return c.url }) })
	t.Run("gRPC", func(t *testing.T) { run(t, "-otlp-grpc", func(c *collectorServer) string { return c.grpc }) })
}

func TestACollectorHasWhatTheLoopPushes(t *testing.T) {
	server := startCollector(t, "profiles")
	byProtocol(t, func(t *testing.T, flag string, address func(*collectorServer) string) {
		service := "keeper" + flag
		keeper := startKeeper(t, flag, address(server), "-service", service)
		allocate(t, keeper, "keep", 4096, 100)
		allocate(t, keeper, "lend", 1000, 50)
		awaitPushed(t, keeper)

		eventually(t, "comparing what is in use", func() error {
			local := localProfile(t, keeper)
			awaitPushed(t, keeper)
			for _, kind := range fourKinds[:2] {
				last, err := server.last(service, kind)
				if err != nil {
					return err
				}
				if err := differ(kind, last.details(), detailsOf(local, kind)); err != nil {
					return err
				}
				if last.DurationNano != 0 || last.resource["cloud.region"] != "here" {
					return fmt.Errorf("duration %d, resource %v", last.DurationNano, last.resource)
				}
			}
			last, err := server.last(service, "inuse_space:bytes")
			return errors.Join(err, amountsDiffer(last.stacks(), stacks{kept: 4096 * 100, lent: 0}))
		})
		eventually(t, "adding up deltas", func() error {
			return allocationsDiffer(server, service, stacks{kept: 4096 * 100, lent: 1000 * 50})
		})
		mustHaveTypes(t, server, service)
	})
}

// mustHaveTypes checks that a service's profiles are of the four kinds, and that some mapping has a build ID.
func mustHaveTypes(t *testing.T, server *collectorServer, service string) {
	t.Helper()
	list, err := server.profiles(service)
	if err != nil {
		t.Fatal(err)
	}
	kinds, buildIDs := map[string]bool{}, 0
	for _, p := range list {
		kinds[p.kind()] = true
		for _, m := range p.MappingTable {
			if p.buildID(m.AttributeIndices) != "" {
				buildIDs++
			}
		}
	}
	for _, kind := range fourKinds {
		if !kinds[kind] || len(kinds) != len(fourKinds) {
			t.Errorf("the types are %v, want %v", kinds, fourKinds)
		}
	}
	if buildIDs == 0 {
		t.Error("no mapping has a build ID")
	}
}

// What is recovered is a file, so that all that it has is known.
func TestACollectorHasTheMemoryOfAProcessThatDied(t *testing.T) {
	server := startCollector(t, "profiles")
	local, _ := anyProfile(t)
	byProtocol(t, func(t *testing.T, flag string, address func(*collectorServer) string) {
		path, at := died(t, local, aged[1])
		service := "died" + flag
		keeper := startKeeper(t, flag, address(server), "-service", service, "-recovered", path)
		allocate(t, keeper, "keep", 4096, 100)
		awaitCounter(t, keeper, "export_recovered_pushed", 1)
		awaitPushed(t, keeper)
		for _, kind := range fourKinds[:2] {
			eventually(t, "reading back", func() error {
				list, err := server.ofKind(service, kind, true)
				if err != nil {
					return err
				}
				if len(list) != 1 || list[0].TimeUnixNano != at.UnixNano() || list[0].DurationNano != 0 {
					return fmt.Errorf("%d profiles, want 1 of %v without a duration", len(list), at)
				}
				return errors.Join(differ(kind, list[0].details(), detailsOf(local, kind)), namesTheGuilty(list[0].stacks()))
			})
		}
		mustHaveAllocatedAlone(t, server, service)
	})
}

func TestNothingIsLostWhileTheCollectorRestarts(t *testing.T) {
	byProtocol(t, func(t *testing.T, flag string, address func(*collectorServer) string) {
		server := startCollector(t, "profiles")
		keeper := startKeeper(t, flag, address(server), "-interval", "100ms", "-queue", "1000")
		allocate(t, keeper, "keep", 1024, 50)
		awaitPushed(t, keeper)
		server.end(syscall.SIGTERM)
		allocate(t, keeper, "keep", 1024, 50)
		mustSay(t, awaitCounter(t, keeper, "export_retried", 1), "connection refused")
		server.start(t)
		allocate(t, keeper, "keep", 1024, 50)
		awaitPushed(t, keeper)
		eventually(t, "adding up deltas", func() error {
			return allocationsDiffer(server, "keeper", stacks{kept: 1024 * 150})
		})
	})
}

func TestACollectorThatTakesNoProfilesRefusesWithAReason(t *testing.T) {
	server := startCollector(t, "traces")
	for flag, reason := range map[string]string{"-otlp": "404 Not Found", "-otlp-grpc": "unimplemented"} {
		address := server.url
		if strings.HasSuffix(flag, "grpc") {
			address = server.grpc
		}
		keeper := startKeeper(t, flag, address)
		allocate(t, keeper, "keep", 1024, 50)
		mustSay(t, awaitCounter(t, keeper, "export_refused", 1), reason)
		if c := counters(t, keeper)["export_retried"]; c.Value != 0 {
			t.Errorf("%d %s", c.Value, c.Sentence)
		}
	}
}
