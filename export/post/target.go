package post

import (
	"context"
	"errors"
	"fmt"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/rpc"
)

type target struct {
	client *rpc.Client
	config Config
	call   func(ctx context.Context, body []byte) (answer []byte, err error)
}

var _ export.Target = (*target)(nil)

// New makes a target for export.Start, and connects to nothing yet. An error names the invalid part of the Config, and not this
// package, whose caller has one to name.
func New(c Config) (export.Target, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	client, err := rpc.New(c.rpc())
	if err != nil {
		return nil, err
	}
	t := &target{client: client, config: c}
	if t.call = t.post; c.GRPC {
		t.call = callOf(rpc.NewRaw(client, c.Path))
	}
	return t, nil
}

func (t *target) post(ctx context.Context, body []byte) ([]byte, error) {
	return t.client.Post(ctx, t.config.Path, t.config.ContentType, body)
}

func callOf(m *rpc.Method[[]byte, []byte]) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, body []byte) ([]byte, error) {
		answer, err := m.Call(ctx, &body)
		if err != nil {
			return nil, err
		}
		return *answer, nil
	}
}

func (t *target) Form() delivery.Form {
	return delivery.Form{Apart: t.config.Apart, Labels: t.config.SampleLabels}
}

func (t *target) Send(ctx context.Context, b *delivery.Batch) error {
	body, err := t.config.Encode(&Moment{Profiles: b.Profiles, Recovered: b.Recovered != nil})
	if err != nil {
		return &delivery.Failure{Err: fmt.Errorf("encoding: %w", err), Verdict: delivery.Refused}
	}
	answer, err := t.call(ctx, body)
	if err != nil {
		return t.final(err)
	}
	if t.config.Check == nil {
		return nil
	}
	if err := t.config.Check(answer); err != nil {
		return &delivery.Failure{Err: errors.New(t.client.Line(err.Error(), t.config.Path)), Verdict: delivery.Refused}
	}
	return nil
}

// final makes a refusal of a failure in doubt, if Config.FinalErrors says so.
func (t *target) final(err error) error {
	var f *delivery.Failure
	if t.config.FinalErrors && errors.As(err, &f) && f.Verdict == delivery.Doubtful {
		return &delivery.Failure{Err: f.Err, Verdict: delivery.Refused}
	}
	return err
}

func (t *target) Name() string { return t.client.Address() }

func (t *target) Place() string { return t.client.Place() + t.config.Path + t.config.Series }

func (t *target) Stats() cgoheap.Stats { return nil }

func (t *target) Close() error {
	t.client.Close()
	return nil
}
