// Push sends a profile, which it reads from its standard input, to a server once. Tests with real servers use it for what
// the exporter would never send, or would send later.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/parca"
	"github.com/cgoheap/cgoheap/export/pyroscope"
)

// statusLater is the exit status if the profile did not arrive, and the exporter would send it again for as long as it can.
const statusLater = 3

func main() {
	toParca := flag.String("parca", "", "push to the Parca at this `address`")
	toPyroscope := flag.String("pyroscope", "", "push to the Pyroscope at this `address`")
	name := flag.String("name", "", "`name` of the profile")
	service := flag.String("service", "push", "`label` service_name at Pyroscope, job at Parca")
	flag.Parse()
	var target export.Target
	var err error
	if *toParca != "" {
		target, err = parca.New(parca.Config{Address: *toParca, ProfileName: *name, Labels: map[string]string{"job": *service}})
	} else {
		target, err = pyroscope.New(pyroscope.Config{Address: *toPyroscope, ProfileName: *name, ServiceName: *service})
	}
	if err == nil {
		err = push(target)
	}
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if failure := (*delivery.Failure)(nil); errors.As(err, &failure) && failure.Verdict == delivery.Later {
		os.Exit(statusLater)
	}
	os.Exit(1)
}

func push(target export.Target) error {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	err = target.Send(context.Background(), &delivery.Batch{Profiles: [][]byte{data}})
	return errors.Join(err, target.Close())
}
