package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// shop is a running service and its requests.
type shop struct {
	*service
	mux *http.ServeMux
}

func openTestShop(t *testing.T) *shop {
	t.Helper()
	service, err := newService()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.close)
	s := &shop{service, http.NewServeMux()}
	s.mount(s.mux)
	return s
}

func (s *shop) request(method, target string, body []byte) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	s.mux.ServeHTTP(recorder, httptest.NewRequest(method, target, bytes.NewReader(body)))
	return recorder
}

func TestEachHandlerAnswers(t *testing.T) {
	s := openTestShop(t)
	cases := []struct {
		method, target string
		body           []byte
		status         int
		want           string // in the answer
	}{
		{"GET", "/orders?customer=7", nil, 200, `"Product":"product`},
		{"GET", "/orders?customer=999", nil, 200, "[]"},
		{"GET", "/report?customer=7&after=0", nil, 200, `{"Name":"customer 7","Region":"region 2","Orders":160`},
		{"GET", "/report?customer=999&after=0", nil, 404, "no rows"},
		{"GET", "/report?customer=7", nil, 400, "invalid syntax"},
		{"GET", "/export", nil, 200, "1,product 1,101\n2,product 2,102\n"},
		{"GET", "/thumbnail?photo=3&width=96", nil, 200, "P6 96 72 255\n"},
		{"GET", "/thumbnail?photo=99&width=96", nil, 404, `no photo "99"`},
		{"GET", "/thumbnail?photo=3&width=0", nil, 400, "at least one pixel"},
		{"POST", "/preview?width=32", newPhoto(1), 200, "P6 32 24 255\n"},
		{"POST", "/preview?width=32", []byte("not a picture"), 422, "neither PPM nor PGM"},
		{"GET", "/contactsheet?width=48", nil, 200, "P6 48 36 255\n"},
		{"GET", "/healthz", nil, 200, ""},
	}
	for _, c := range cases {
		answer := s.request(c.method, c.target, c.body)
		if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.want) {
			t.Errorf("%s %s: got %d %.80q, want %d with %q", c.method, c.target, answer.Code, answer.Body, c.status, c.want)
		}
	}
}

func TestAContactSheetShowsTheWholeAlbum(t *testing.T) {
	sheet := openTestShop(t).request("GET", "/contactsheet?width=48", nil)
	if got := strings.Count(sheet.Body.String(), "P6 48 36 255\n"); got != albumPhotos {
		t.Errorf("%d pictures, want %d", got, albumPhotos)
	}
}

func TestReportsThumbnailsAndCopiesAreKept(t *testing.T) {
	s := openTestShop(t)
	for day := range 10 {
		s.request("GET", fmt.Sprintf("/report?customer=7&after=%d", day), nil)
		s.request("GET", fmt.Sprintf("/thumbnail?photo=1&width=96&visit=%d", day), nil)
		s.request("GET", "/export", nil)
	}
	if got := s.copies.entries(); got != 10 {
		t.Errorf("%d copies, want 10", got)
	}
	if got := s.statements.entries(); got != 10 {
		t.Errorf("%d statements, want 10", got)
	}
	if got := s.thumbnails.Entries(); got != 10 {
		t.Errorf("%d thumbnails, want 10", got)
	}
}
