package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/parca"
	"github.com/cgoheap/cgoheap/export/pyroscope"
	"github.com/cgoheap/cgoheap/otlp"
)

type options struct {
	listen    string
	parca     string // addresses; "" for none
	pyroscope string
	otlp      string
	otlpGRPC  string
	name      string // of the profiles
	service   string // label service_name, or job
	tenant    string
	user      string
	password  string
	token     string // a file
	authority string // a file
	recovered string // a file
	blackBox  string // a directory
	config    export.Config
}

func parseOptions() (o options) {
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`address` to serve on")
	flag.StringVar(&o.parca, "parca", "", "push to the Parca at this `address`")
	flag.StringVar(&o.pyroscope, "pyroscope", "", "push to the Pyroscope at this `address`")
	flag.StringVar(&o.otlp, "otlp", "", "push to the collector at this `address` by OTLP/HTTP")
	flag.StringVar(&o.otlpGRPC, "otlp-grpc", "", "push to the collector at this `address` by OTLP/gRPC")
	flag.StringVar(&o.name, "name", "", "`name` of the profiles")
	flag.StringVar(&o.service, "service", "keeper", "`label` service_name at Pyroscope, job at Parca, service.name at a collector")
	flag.StringVar(&o.tenant, "tenant", "", "Pyroscope's `tenant`")
	flag.StringVar(&o.user, "user", "", "`user` for basic authentication")
	flag.StringVar(&o.password, "password", "", "the user's `password`")
	flag.StringVar(&o.token, "token-file", "", "`file` with a bearer token")
	flag.StringVar(&o.authority, "ca", "", "`file` with the certificate that the server's is signed with")
	flag.StringVar(&o.recovered, "recovered", "", "`file` with the profile of a process that died when the file was last changed")
	flag.StringVar(&o.blackBox, "blackbox", "", "`directory` for what is recorded, to outlive a kill")
	flag.IntVar(&o.config.MaxSamples, "max-samples", 0, "bound of a profile")
	flag.DurationVar(&o.config.Interval, "interval", 500*time.Millisecond, "between two profiles")
	flag.DurationVar(&o.config.SendWithin, "send-within", 0, "bound on one attempt to send")
	flag.IntVar(&o.config.QueueBatches, "queue", 0, "`profiles` that the queue holds")
	flag.Parse()
	return o
}

// targets are the servers to push to.
func (o *options) targets() (targets []export.Target, err error) {
	trust, err := o.trust()
	if err != nil {
		return nil, err
	}
	if o.parca != "" {
		target, err := parca.New(parca.Config{
			Address: o.parca, ProfileName: o.name, Labels: map[string]string{"job": o.service, "region": "here"},
			BearerTokenFile: o.token, TLS: trust,
		})
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	if o.pyroscope != "" {
		target, err := pyroscope.New(pyroscope.Config{
			Address: o.pyroscope, ProfileName: o.name, ServiceName: o.service, Labels: map[string]string{"region": "here"},
			TenantID: o.tenant, User: o.user, Password: o.password, BearerTokenFile: o.token, TLS: trust,
		})
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	for address, grpc := range map[string]bool{o.otlp: false, o.otlpGRPC: true} {
		if address == "" {
			continue
		}
		target, err := otlp.New(otlp.Config{
			Address: address, GRPC: grpc, ServiceName: o.service, Attributes: map[string]string{"cloud.region": "here"},
			User: o.user, Password: o.password, BearerTokenFile: o.token, TLS: trust,
		})
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// trust is what the server's certificate must be signed with; nil for what the system trusts.
func (o *options) trust() (*tls.Config, error) {
	if o.authority == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.authority)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s has no certificate", o.authority)
	}
	return &tls.Config{RootCAs: pool}, nil
}
