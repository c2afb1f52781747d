//go:build linux && cgo

package servers

import (
	"context"
	"errors"
	"testing"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/parca"
	"github.com/cgoheap/cgoheap/export/pyroscope"
)

func TestAProfileThatPyroscopeFindsTooLargeIsRefusedWithItsReason(t *testing.T) {
	server := startPyroscope(t, "-validation.max-profile-size-bytes=200")
	keeper := startKeeper(t, "-pyroscope", server.url)
	allocate(t, keeper, "keep", 4096, 100)
	mustSay(t, awaitCounter(t, keeper, "export_refused", 1), "exceeds limit of 200 B")
	if c := counters(t, keeper)["export_retried"]; c.Value != 0 {
		t.Errorf("%d %s", c.Value, c.Sentence)
	}
}

func TestAProfileBeyondPyroscopesRateIsSentAgain(t *testing.T) {
	server := startPyroscope(t,
		"-distributor.ingestion-rate-limit-mb=0.000001", "-distributor.ingestion-burst-size-mb=0.000001")
	keeper := startKeeper(t, "-pyroscope", server.url)
	allocate(t, keeper, "keep", 4096, 100)
	mustSay(t, awaitCounter(t, keeper, "export_retried", 1), "limit")
	if c := counters(t, keeper)["export_refused"]; c.Value != 0 {
		t.Errorf("%d %s", c.Value, c.Sentence)
	}
}

func TestWhatIsNoProfileIsNotSentForEver(t *testing.T) {
	for name, newTarget := range map[string]func(t *testing.T) (export.Target, error){
		"parca": func(t *testing.T) (export.Target, error) {
			return parca.New(parca.Config{Address: startParca(t, "").url})
		},
		"pyroscope": func(t *testing.T) (export.Target, error) {
			return pyroscope.New(pyroscope.Config{Address: startPyroscope(t).url})
		},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := newTarget(t)
			if err != nil {
				t.Fatal(err)
			}
			err = target.Send(context.Background(), &export.Batch{Profiles: [][]byte{[]byte("no profile")}})
			var failure *export.Failure
			if !errors.As(err, &failure) || failure.Verdict == export.Later {
				t.Errorf("%s answers %v, which would keep it in the queue", name, err)
			}
			t.Logf("%s says: %v", name, err)
		})
	}
}
