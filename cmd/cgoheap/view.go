package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

// viewing is what the flags of view say.
type viewing struct {
	source
	address            string
	noBrowser, changes bool
}

func prepareView(flags *flag.FlagSet) action {
	var v viewing
	flags.StringVar(&v.address, "http", "127.0.0.1:0", "the `address` to serve the page on; port 0 is one that is free")
	flags.BoolVar(&v.noBrowser, "no-browser", false, "open no browser")
	flags.BoolVar(&v.changes, "changes", false, "of a service: let the page trim its malloc, make a dump and change its sampling interval")
	v.shared.add(flags)
	v.addRoot(flags)
	v.service.add(flags, 2*time.Minute)
	return func(s *streams, names []string) (int, error) {
		if len(names) != 1 {
			return exitUnreadable, errors.New("one address, process number, profile or black box is needed")
		}
		p := targetOf(names[0])
		if err := v.check(flags, p); err != nil {
			return exitUnreadable, err
		}
		ctx, stop := interruptible()
		defer stop()
		v.in = s.in
		return exitGood, v.run(ctx, s, p)
	}
}

// check comes after the flags were parsed.
func (v *viewing) check(flags *flag.FlagSet, p target) error {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if p.pid > 0 && !given["view"] {
		v.name = report.RSS.Name
	}
	if v.changes && (p.url == nil || p.isProfile()) {
		return errors.New("-changes is for a service")
	}
	return errors.Join(v.shared.check(), v.service.check())
}

func (v *viewing) run(ctx context.Context, s *streams, p target) error {
	var shown http.Handler
	end := func() {}
	err := terminal.Progress(s.progress, "reading "+p.name, func() error {
		return await(ctx, func() (err error) {
			shown, end, err = v.open(ctx, p)
			return err
		})
	})
	if err != nil {
		return err
	}
	defer end()
	listener, err := net.Listen("tcp", v.address)
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	d := newAccess(listener.Addr(), v.address, shown)
	fmt.Fprintln(s.out, d.url)
	fmt.Fprintln(s.trouble, "serves until Ctrl-C")
	if !v.noBrowser {
		browse(d.url)
	}
	return serve(ctx, listener, d)
}

// open returns what the page shows.
func (v *viewing) open(ctx context.Context, p target) (shown http.Handler, end func(), err error) {
	switch {
	case p.url != nil && !p.isProfile():
		shown, err = v.newProxy(ctx, p)
		return shown, func() {}, err
	case p.box != "":
		return v.newBoxPage(p)
	}
	t, err := v.take(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return newFilePage(p, t).handler(), func() {}, nil
}

// serve serves until the context is done.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go background.Run("serving the page", func() { failed <- server.Serve(listener) }, func(err error) { failed <- err })
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}
