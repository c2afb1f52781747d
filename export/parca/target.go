package parca

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/label"
	"github.com/cgoheap/cgoheap/export/internal/rpc"
	"github.com/cgoheap/cgoheap/export/parca/internal/parcapb"
)

// Config sets where Parca is and how the profiles are called there. Only Address is required.
type Config struct {
	Address     string            // http://HOST:7070, or https://HOST
	Labels      map[string]string // of the series; nil means {"job": the name of the program's file}
	ProfileName string            // the label __name__; "" means "memory"

	BearerToken     string
	BearerTokenFile string      // read before each call, so that it may change
	Header          http.Header // further headers

	TLS   *tls.Config                           // nil: the system's authorities
	Proxy func(*http.Request) (*url.URL, error) // nil: http.ProxyFromEnvironment

	UploadDebuginfo   bool     // uploads files in which a location could not be named
	DebugDirs         []string // where .build-id/XX/YYYY.debug is looked for; nil means /usr/lib/debug
	MaxDebuginfoBytes int64    // larger files are not uploaded; 0 means 512 MiB
}

const serviceProfileStore = "/parca.profilestore.v1alpha1.ProfileStoreService/"

type target struct {
	client *rpc.Client
	write  *rpc.Method[parcapb.WriteRawRequest, parcapb.WriteRawResponse]
	series series
	upload *uploader // nil without UploadDebuginfo
}

// series are the labels of profiles.
type series struct {
	name      string
	living    *parcapb.LabelSet
	recovered *parcapb.LabelSet // of processes that died
}

var _ export.Target = (*target)(nil)

// New makes a target for export.Start, and connects to nothing yet. An error names the invalid part of the Config.
func New(c Config) (export.Target, error) {
	series, err := c.series()
	if err != nil {
		return nil, fmt.Errorf("parca: %w", err)
	}
	client, err := rpc.New(rpc.Config{
		Address: c.Address, BearerToken: c.BearerToken, BearerTokenFile: c.BearerTokenFile,
		Header: c.Header.Clone(), TLS: c.TLS, Proxy: c.Proxy, GRPC: true,
	})
	if err != nil {
		return nil, fmt.Errorf("parca: %w", err)
	}
	t := &target{
		client: client,
		write:  rpc.NewMethod[parcapb.WriteRawRequest, parcapb.WriteRawResponse](client, serviceProfileStore+"WriteRaw"),
		series: series,
	}
	if c.UploadDebuginfo {
		t.upload = newUploader(newDebuginfo(client), c.search())
	}
	return t, nil
}

func (c *Config) series() (s series, err error) {
	given := c.Labels
	if given == nil {
		given = map[string]string{"job": label.Program()}
	}
	living, err := label.Series(c.ProfileName, given)
	if err != nil {
		return s, err
	}
	recovered, err := label.Series(c.ProfileName, label.WithRecovered(given))
	return series{fmt.Sprintf("%q", living), labelSet(living), labelSet(recovered)}, err
}

func labelSet(series []label.Label) *parcapb.LabelSet {
	set := &parcapb.LabelSet{}
	for _, l := range series {
		set.Labels = append(set.Labels, &parcapb.Label{Name: l.Name, Value: l.Value})
	}
	return set
}

func (c *Config) search() search {
	p := search{directories: c.DebugDirs, mostBytes: c.MaxDebuginfoBytes}
	if p.directories == nil {
		p.directories = []string{"/usr/lib/debug"}
	}
	if p.mostBytes == 0 {
		p.mostBytes = 512 << 20
	}
	return p
}

// Form is without sample labels: Parca would not show them.
func (t *target) Form() delivery.Form { return delivery.Form{Apart: true} }

func (t *target) Name() string { return t.client.Address() }

func (t *target) Place() string { return t.client.Place() + t.series.name }

func (t *target) Send(ctx context.Context, b *delivery.Batch) error {
	series := &parcapb.Series{Labels: t.series.living}
	if b.Recovered != nil {
		series.Labels = t.series.recovered
	}
	for _, p := range b.Profiles {
		series.Samples = append(series.Samples, &parcapb.RawSample{RawProfile: p})
	}
	_, err := t.write.Call(ctx, &parcapb.WriteRawRequest{Series: []*parcapb.Series{series}, Normalized: true})
	if err == nil && t.upload != nil {
		t.upload.offer(b.Unnamed)
	}
	return err
}

func (t *target) Stats() cgoheap.Stats {
	if t.upload == nil {
		return nil
	}
	return t.upload.counters.stats()
}

func (t *target) Close() error {
	if t.upload != nil {
		t.upload.stop()
	}
	t.client.Close()
	return nil
}
