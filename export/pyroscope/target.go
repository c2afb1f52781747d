package pyroscope

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/label"
	"github.com/cgoheap/cgoheap/export/internal/rpc"
	"github.com/cgoheap/cgoheap/export/pyroscope/internal/pushpb"
)

// Config sets where Pyroscope is and how the profiles are called there. Only Address is required.
type Config struct {
	Address     string            // http://HOST:4040, or https://HOST/PATH
	ServiceName string            // the label service_name; "" means the name of the program's file
	Labels      map[string]string // further labels of the series
	ProfileName string            // the label __name__; "" means "memory"

	// Keys of the sample labels to keep, for example "heap" with export.Config.GoHeap. Each value becomes a series.
	SampleLabels []string

	TenantID        string // the header X-Scope-OrgID
	User, Password  string // basic authentication
	BearerToken     string
	BearerTokenFile string      // read before each call, so that it may change
	Header          http.Header // further headers

	TLS   *tls.Config                           // nil: the system's authorities
	Proxy func(*http.Request) (*url.URL, error) // nil: http.ProxyFromEnvironment
}

type target struct {
	client *rpc.Client
	push   *rpc.Method[pushpb.PushRequest, pushpb.PushResponse]
	labels []*pushpb.Label
	form   delivery.Form
}

var _ export.Target = (*target)(nil)

// New makes a target for export.Start, and connects to nothing yet. An error names the invalid part of the Config.
func New(c Config) (export.Target, error) {
	labels, err := c.labels()
	if err != nil {
		return nil, fmt.Errorf("pyroscope: %w", err)
	}
	client, err := rpc.New(c.rpc())
	if err != nil {
		return nil, fmt.Errorf("pyroscope: %w", err)
	}
	return &target{
		client: client,
		push:   rpc.NewMethod[pushpb.PushRequest, pushpb.PushResponse](client, "/push.v1.PusherService/Push"),
		labels: labels,
		form:   delivery.Form{Labels: c.SampleLabels},
	}, nil
}

func (c *Config) rpc() rpc.Config {
	header := c.Header.Clone()
	if c.TenantID != "" {
		if header == nil {
			header = http.Header{}
		}
		header.Set("X-Scope-OrgID", c.TenantID)
	}
	return rpc.Config{
		Address: c.Address, User: c.User, Password: c.Password,
		BearerToken: c.BearerToken, BearerTokenFile: c.BearerTokenFile,
		Header: header, TLS: c.TLS, Proxy: c.Proxy,
	}
}

func (c *Config) labels() ([]*pushpb.Label, error) {
	given := maps.Clone(c.Labels)
	if given == nil {
		given = map[string]string{}
	}
	if c.ServiceName != "" {
		given["service_name"] = c.ServiceName
	} else if given["service_name"] == "" {
		given["service_name"] = label.Program()
	}
	series, err := label.Series(c.ProfileName, given)
	if err != nil {
		return nil, err
	}
	list := []*pushpb.Label{{Name: "__delta__", Value: "false"}}
	for _, l := range series {
		list = append(list, &pushpb.Label{Name: l.Name, Value: l.Value})
	}
	return list, nil
}

func (t *target) Form() delivery.Form { return t.form }

func (t *target) Send(ctx context.Context, b *delivery.Batch) error {
	series := &pushpb.Series{Labels: t.labels}
	for _, p := range b.Profiles {
		series.Samples = append(series.Samples, &pushpb.Sample{RawProfile: p})
	}
	_, err := t.push.Call(ctx, &pushpb.PushRequest{Series: []*pushpb.Series{series}})
	return err
}

func (t *target) Stats() cgoheap.Stats { return nil }

func (t *target) Close() error {
	t.client.Close()
	return nil
}
