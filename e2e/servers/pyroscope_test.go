package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A pyroscopeServer is a real Pyroscope, with its queries.
type pyroscopeServer struct {
	*process
	tenant string // X-Scope-OrgID of each request; "" for none
}

// startPyroscope starts Pyroscope, all its parts in one process, with these flags added to the flags that keep it on
// loopback and quiet.
func startPyroscope(t *testing.T, flags ...string) *pyroscopeServer {
	t.Helper()
	binary := serverBinary(t, "pyroscope")
	dir := t.TempDir()
	port := toolchain.FreePort(t)
	command := []string{
		binary, "-target=all",
		"-server.http-listen-address=127.0.0.1", fmt.Sprint("-server.http-listen-port=", port),
		"-server.grpc-listen-address=127.0.0.1", fmt.Sprint("-server.grpc-listen-port=", toolchain.FreePort(t)),
		"-memberlist.bind-addr=127.0.0.1", "-memberlist.advertise-addr=127.0.0.1",
		fmt.Sprint("-memberlist.bind-port=", toolchain.FreePort(t)),
		"-ingester.min-ready-duration=0s",
		"-pyroscopedb.data-path=" + filepath.Join(dir, "db"),
		"-storage.backend=filesystem", "-storage.filesystem.dir=" + filepath.Join(dir, "shared"),
		"-usage-stats.enabled=false", "-self-profiling.disable-push=true",
	}
	for _, part := range []string{
		"compactor.ring.instance-addr", "distributor.ring.instance-addr", "overrides-exporter.ring.instance-addr",
		"store-gateway.sharding-ring.instance-addr", "ingester.lifecycler.addr", "query-frontend.instance-addr",
		"query-scheduler.ring.instance-addr",
	} {
		command = append(command, "-"+part+"=127.0.0.1")
	}
	p := &process{name: "pyroscope", url: "http://" + toolchain.Loopback(port), ready: "/ready", command: append(command, flags...)}
	launch(t, p)
	return &pyroscopeServer{process: p}
}

// ask calls a method of the QuerierService, which speaks JSON and protocol buffers, and answers as it was asked.
func (p *pyroscopeServer) ask(method, contentType string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, p.url+"/querier.v1.QuerierService/"+method, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	if p.tenant != "" {
		request.Header.Set("X-Scope-OrgID", p.tenant)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer := readAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", method, response.Status, answer)
	}
	return answer, nil
}

func readAll(r io.Reader) []byte {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Append(data, " and then ", err)
	}
	return data
}

func (p *pyroscopeServer) askJSON(method string, request map[string]any, answer any) error {
	from, to := lately()
	request["start"], request["end"] = from.UnixMilli(), to.UnixMilli()
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	data, err := p.ask(method, "application/json", body)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, answer)
}

// types returns the profile types that Pyroscope offers, as it writes them in queries.
func (p *pyroscopeServer) types() (types []string, err error) {
	var answer struct{ ProfileTypes []struct{ ID string } }
	if err := p.askJSON("ProfileTypes", map[string]any{}, &answer); err != nil {
		return nil, err
	}
	for _, t := range answer.ProfileTypes {
		types = append(types, t.ID)
	}
	slices.Sort(types)
	return types, nil
}

// series returns the labels of all series that a matcher selects, one map for each.
func (p *pyroscopeServer) series(matcher string) (series []map[string]string, err error) {
	var answer struct {
		LabelsSet []struct {
			Labels []struct{ Name, Value string }
		}
	}
	if err := p.askJSON("Series", map[string]any{"matchers": []string{matcher}}, &answer); err != nil {
		return nil, err
	}
	for _, set := range answer.LabelsSet {
		labels := map[string]string{}
		for _, l := range set.Labels {
			labels[l.Name] = l.Value
		}
		series = append(series, labels)
	}
	return series, nil
}

// sum reads back the sum of all profiles of this type that a selector like {service_name="shop"} selects between two times.
// The fields belong to querier.v1.SelectMergeProfileRequest.
func (p *pyroscopeServer) sum(profileType, selector string, from, to time.Time) (stacks, error) {
	var b []byte
	b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), profileType)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), selector)
	b = protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), uint64(from.UnixMilli()))
	b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), uint64(to.UnixMilli()))
	data, err := p.ask("SelectMergeProfile", "application/proto", b)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(data)) == "" {
		return nil, fmt.Errorf("Pyroscope has no %s of %s", profileType, selector)
	}
	profile, err := profile.ParseData(data)
	if err != nil {
		return nil, err
	}
	_, kind, _ := strings.Cut(profileType, ":")
	return stacksOf(profile, strings.TrimSuffix(kind, ":space:bytes"))
}
