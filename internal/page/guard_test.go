package page

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// to is a request of a method to a host, with headers.
func to(method, host string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.Host = host
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	pprofs  = "Go-http-client/1.1"
)

func TestOnlyWhoIsNoOtherPageChangesSomething(t *testing.T) {
	for _, c := range []struct {
		about   string
		request *http.Request
		allowed bool
	}{
		{"curl", to("GET", "localhost:6060", "User-Agent", "curl/8.5.0"), true},
		{"go tool pprof", to("GET", "10.0.0.7:6060", "User-Agent", pprofs), true},
		{"a client without a name", to("GET", "[::1]:6060"), true},
		{"curl, with the header", to("POST", "localhost:6060", Header, "1"), true},
		{"curl, without the header", to("POST", "localhost:6060", "User-Agent", "curl/8.5.0"), false},
		{"an image of another page", to("GET", "10.0.0.7:6060", "User-Agent", firefox), false},
		{"an image of another page at localhost", to("GET", "localhost:6060", "User-Agent", firefox, "Sec-Fetch-Site", "cross-site"), false},
		{"a page that hides the browser", to("GET", "localhost:6060", "Sec-Fetch-Site", "cross-site"), false},
		{"a link", to("GET", "10.0.0.7:6060", "Referer", "http://evil.test/"), false},
		{"a page by fetch", to("GET", "10.0.0.7:6060", "Origin", "http://evil.test"), false},
		{"a page that may send the header", to("GET", "10.0.0.7:6060", "Origin", "http://evil.test", Header, "1"), false},
		{"another page of this host", to("POST", "localhost:6060", "Origin", "http://localhost:8080", Header, "1"), false},
		{"the page itself", to("POST", "localhost:6060", "User-Agent", firefox, "Origin", "http://localhost:6060", "Sec-Fetch-Site", "same-origin", Header, "1"), true},
		{"a name that leads here", to("POST", "evil.test:6060", "User-Agent", firefox, "Origin", "http://evil.test:6060", Header, "1"), false},
		{"a name that leads here, by GET", to("GET", "evil.test", "User-Agent", "none"), false},
		{"a name that looks like an address", to("GET", "127.0.0.1.evil.test"), false},
		{"a name that looks like localhost", to("GET", "localhost.evil.test"), false},
		{"a name that is allowed", to("GET", "Shop.Example.org.:6060"), true},
		{"a name below one that is", to("GET", "a.b.example.net"), true},
		{"a name that only ends like one", to("GET", "badexample.net"), false},
		{"HTTP/1.0", to("GET", ""), true},
	} {
		if err := (Hosts{"shop.example.org", "*.example.net"}).Changes(c.request); (err == nil) != c.allowed {
			t.Errorf("%s: %v", c.about, err)
		}
	}
}

func TestNamesOfHostsBoundWhatIsRead(t *testing.T) {
	for _, c := range []struct {
		hosts   Hosts
		name    string
		allowed bool
	}{
		{nil, "any.test", true}, {Hosts{"*"}, "any.test", true}, {Hosts{"one.test"}, "any.test", false}, {Hosts{"one.test"}, "ONE.test:1", true},
		{Hosts{"one.test"}, "127.0.0.1:1", true}, {Hosts{"one.test"}, "localhost", true},
	} {
		if err := c.hosts.Reads(to("GET", c.name)); (err == nil) != c.allowed {
			t.Errorf("%v: %s: %v", c.hosts, c.name, err)
		}
	}
	for _, wrong := range []string{"", "[", "a[b"} {
		if (Hosts{"one", wrong}).Check() == nil {
			t.Errorf("%q is a name", wrong)
		}
	}
	if err := (Hosts{"one.test", "*.two.test"}).Check(); err != nil {
		t.Error(err)
	}
}
