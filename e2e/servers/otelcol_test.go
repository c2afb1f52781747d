package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A collectorServer is a real collector of OpenTelemetry, with the file into which it writes what it receives.
type collectorServer struct {
	*process
	grpc string // its other address
	file string
}

const collectorConfig = `
receivers:
  otlp:
    protocols:
      http: {endpoint: %q}
      grpc: {endpoint: %q}
exporters:
  file: {path: %q, append: true, flush_interval: 100ms}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    %s: {receivers: [otlp], exporters: [file]}
`

// startCollector starts a collector with a pipeline of this signal. It takes profiles only behind a gate.
func startCollector(t *testing.T, signal string) *collectorServer {
	t.Helper()
	binary := serverBinary(t, "otelcol")
	dir := t.TempDir()
	address, grpc := toolchain.Loopback(toolchain.FreePort(t)), toolchain.Loopback(toolchain.FreePort(t))
	file := filepath.Join(dir, "received.json")
	path := filepath.Join(dir, "otelcol.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, collectorConfig, address, grpc, file, signal), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &process{name: "otelcol", url: "http://" + address, command: []string{binary, "--config=" + path}}
	p.ready, p.status = "/", http.StatusNotFound
	if signal == "profiles" {
		p.command = append(p.command, "--feature-gates=+service.profilesSupport")
		p.ready, p.status = "/v1development/profiles", http.StatusMethodNotAllowed
	}
	launch(t, p)
	return &collectorServer{p, "http://" + grpc, file}
}

// A request is what the collector wrote of one that it received, in the protocol's JSON.
type request struct {
	ResourceProfiles []struct {
		Resource struct {
			Attributes []attribute
		}
		ScopeProfiles []struct {
			Profiles []collected
		}
	}
	Dictionary dictionary
}

type collected struct {
	SampleType                 valueType
	Samples                    []sample
	TimeUnixNano, DurationNano int64 `json:",string"`

	resource map[string]string
	*dictionary
}

// requests reads the whole lines of the file.
func (c *collectorServer) requests() (list []request, err error) {
	data, err := os.ReadFile(c.file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is still being written
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// profiles returns the profiles of a service, in the order in which they came, with the resource and dictionary of each.
func (c *collectorServer) profiles(service string) (list []collected, err error) {
	requests, err := c.requests()
	for _, r := range requests {
		for _, of := range r.ResourceProfiles {
			resource := r.Dictionary.texts(of.Resource.Attributes)
			if resource["service.name"] != service {
				continue
			}
			for _, scope := range of.ScopeProfiles {
				for _, p := range scope.Profiles {
					p.resource, p.dictionary = resource, &r.Dictionary
					list = append(list, p)
				}
			}
		}
	}
	return list, err
}

// ofKind returns those of this type, such as inuse_space:bytes, and whether they are those of processes that died.
func (c *collectorServer) ofKind(service, kind string, recovered bool) (list []collected, err error) {
	all, err := c.profiles(service)
	for _, p := range all {
		if p.kind() == kind && (p.resource["recovered"] == "true") == recovered {
			list = append(list, p)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("the collector has no %s of %s", kind, service)
	}
	return list, err
}

func (c *collectorServer) last(service, kind string) (collected, error) {
	list, err := c.ofKind(service, kind, false)
	if err != nil {
		return collected{}, err
	}
	return slices.MaxFunc(list, func(a, b collected) int { return time.Unix(0, a.TimeUnixNano).Compare(time.Unix(0, b.TimeUnixNano)) }), nil
}

func (c *collectorServer) allocated(service string) (stacks, error) {
	list, err := c.ofKind(service, "alloc_space:bytes", false)
	sum := stacks{}
	for _, p := range list {
		if p.DurationNano == 0 {
			return nil, fmt.Errorf("allocations of no duration: %v", p.SampleType)
		}
		for stack, value := range p.stacks() {
			sum[stack] += value
		}
	}
	return sum, err
}
