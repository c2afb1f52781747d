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
	series series
	form   delivery.Form
}

// series are the labels of profiles.
type series struct {
	name      string
	living    []*pushpb.Label
	recovered []*pushpb.Label // of processes that died
}

var _ export.Target = (*target)(nil)

// New makes a target for export.Start, and connects to nothing yet. An error names the invalid part of the Config.
func New(c Config) (export.Target, error) {
	series, err := c.series()
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
		series: series,
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

func (c *Config) series() (s series, err error) {
	given := maps.Clone(c.Labels)
	if given == nil {
		given = map[string]string{}
	}
	if c.ServiceName != "" {
		given["service_name"] = c.ServiceName
	} else if given["service_name"] == "" {
		given["service_name"] = label.Program()
	}
	living, err := label.Series(c.ProfileName, given)
	if err != nil {
		return s, err
	}
	recovered, err := label.Series(c.ProfileName, label.WithRecovered(given))
	return series{fmt.Sprintf("%q", living), pushed(living), pushed(recovered)}, err
}

func pushed(series []label.Label) []*pushpb.Label {
	list := []*pushpb.Label{{Name: "__delta__", Value: "false"}}
	for _, l := range series {
		list = append(list, &pushpb.Label{Name: l.Name, Value: l.Value})
	}
	return list
}

func (t *target) Form() delivery.Form { return t.form }

func (t *target) Send(ctx context.Context, b *delivery.Batch) error {
	series := &pushpb.Series{Labels: t.series.living}
	if b.Recovered != nil {
		series.Labels = t.series.recovered
	}
	for _, p := range b.Profiles {
		series.Samples = append(series.Samples, &pushpb.Sample{RawProfile: p})
	}
	_, err := t.push.Call(ctx, &pushpb.PushRequest{Series: []*pushpb.Series{series}})
	return err
}

func (t *target) Name() string { return t.client.Address() }

func (t *target) Place() string { return t.client.Place() + t.series.name }

func (t *target) Stats() cgoheap.Stats { return nil }

func (t *target) Close() error {
	t.client.Close()
	return nil
}
