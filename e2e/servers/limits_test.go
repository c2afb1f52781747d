package servers

import "testing"

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
	for name, address := range map[string]func(t *testing.T) string{
		"parca":     func(t *testing.T) string { return startParca(t, "").url },
		"pyroscope": func(t *testing.T) string { return startPyroscope(t).url },
	} {
		t.Run(name, func(t *testing.T) {
			later, err := pushed(t, []byte("no profile"), "-"+name, address(t))
			if err == nil || later {
				t.Errorf("%s answers %v, which would keep it in the queue", name, err)
			}
			t.Logf("%s reports: %v", name, err)
		})
	}
}
