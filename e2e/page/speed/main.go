package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
	"time"
)

func main() {
	log.SetFlags(0)
	folder := flag.String("folder", "../../out/speed", "where the service is built")
	visits := flag.Int("visits", 5, "first visits")
	seconds := flag.Int("seconds", 20, "how long requests are made while the page is open")
	flag.Parse()
	program, err := build(*folder)
	if err != nil {
		log.Fatal(err)
	}
	ctx, end := browser()
	defer end()
	err = errors.Join(firstVisits(ctx, program, *visits), compare(ctx, program, time.Duration(*seconds)*time.Second))
	if err != nil {
		log.Print(err)
	}
}

func firstVisits(ctx context.Context, program string, visits int) error {
	var account, flame, suspects, refreshed, rss, back, before, most []float64
	for range visits {
		s, err := start(program)
		if err != nil {
			return err
		}
		before = append(before, s.memory("VmRSS"))
		tab, times, err := visit(ctx, s)
		if err != nil {
			return err
		}
		account, flame, suspects = append(account, times.Account), append(flame, times.Flame), append(suspects, times.Suspects)
		for range 3 {
			took, err := refresh(tab)
			if err != nil {
				return err
			}
			refreshed = append(refreshed, took)
		}
		for _, v := range []struct {
			hash string
			into *[]float64
		}{{"view=rss", &rss}, {"view=inuse", &back}} {
			took, err := show(tab, v.hash)
			if err != nil {
				return err
			}
			*v.into = append(*v.into, took)
		}
		most = append(most, s.memory("VmHWM"))
		s.end()
	}
	fmt.Printf("%d first visits, each to a service that was just started; median, and the range\n", visits)
	row("first screen: account", account, "ms")
	row("first screen: flame graph", flame, "ms")
	row("suspects, at their first moment", suspects, "ms")
	row("refresh, all parts", refreshed, "ms")
	row("another view: RSS", rss, "ms")
	row("back to in use", back, "ms")
	row("RSS of the service before", before, "MiB")
	row("the most of it afterwards", most, "MiB")
	return nil
}

func row(name string, values []float64, unit string) {
	slices.Sort(values)
	fmt.Printf("%-34s %7.0f %s  (%.0f to %.0f)\n", name, values[len(values)/2], unit, values[0], values[len(values)-1])
}

// compare has requests made to two services while the page of the first is refreshed over and over, and without that.
func compare(ctx context.Context, program string, long time.Duration) error {
	var services [2]*service
	for i := range services {
		s, err := start(program)
		if err != nil {
			return err
		}
		defer s.end()
		services[i] = s
	}
	tab, _, err := visit(ctx, services[0])
	if err != nil {
		return err
	}
	for _, pause := range []time.Duration{long, 2 * time.Second, 0} {
		if err := compareWhile(tab, services, pause, long); err != nil {
			return err
		}
	}
	fmt.Printf("memory: %.0f MiB with the page, at most %.0f; %.0f MiB without\n",
		services[0].memory("VmRSS"), services[0].memory("VmHWM"), services[1].memory("VmRSS"))
	return nil
}

func compareWhile(tab context.Context, services [2]*service, pause, long time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), long)
	defer stop()
	ended := make(chan error, 1)
	refreshes := 0
	go func() {
		for ctx.Err() == nil {
			if !wait(ctx, pause) {
				break
			}
			if _, err := refresh(tab); err != nil {
				ended <- err
				return
			}
			refreshes++
		}
		ended <- nil
	}()
	var took [2][]float64
	for turn := 0; ctx.Err() == nil; turn++ {
		for k := range services {
			i := (turn + k) % 2 // the first in a turn has colder caches
			d, err := services[i].lend()
			if err != nil {
				return err
			}
			took[i] = append(took[i], d.Seconds()*1e6)
		}
		time.Sleep(2 * time.Millisecond)
	}
	if err := <-ended; err != nil {
		return err
	}
	at := func(i, percent int) float64 { slices.Sort(took[i]); return took[i][len(took[i])*percent/100] }
	fmt.Printf("latency of %d requests, %3d refreshes: median %.0f us, p99 %.0f us, ×%.2f and ×%.2f of the other service's\n",
		len(took[0]), refreshes, at(0, 50), at(0, 99), at(0, 50)/at(1, 50), at(0, 99)/at(1, 99))
	return nil
}

// wait reports whether there is still time after the pause.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
