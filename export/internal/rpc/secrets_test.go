package rpc

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

const password = `pa/s "w&rd"?+Ü<`

// repeated is what a server says of the request and of what it has made of its headers.
func repeated(r *http.Request, secrets ...string) string {
	text := fmt.Sprint(r.Header, " ", r.URL.RawQuery, " ", r.URL.Query())
	for _, secret := range secrets {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))} {
			asJSON, _ := json.Marshal(form)
			text += fmt.Sprintf(" %s %q %+q %s %s %s %s %s", form, form, form, asJSON, html.EscapeString(form), url.QueryEscape(form), url.PathEscape(form),
				strings.ToUpper(form))
		}
	}
	return text
}

// reveals returns a form of a secret that is in the text.
func reveals(text string, secrets ...string) string {
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
				return form
			}
		}
	}
	return ""
}

func TestNoSecretThatAServerRepeatsIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("token of a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for about, c := range map[string]struct {
		config  Config
		path    string
		secrets []string
	}{
		"basic authentication": {Config{User: "me", Password: password}, "/", []string{password, "me:" + password}},
		"a short password":     {Config{User: "me", Password: "x1"}, "/", []string{"me:x1"}},
		"a user alone":         {Config{User: "key-of-an-api"}, "/", []string{"key-of-an-api"}},
		"a token":              {Config{BearerToken: "a.token/of+some=="}, "/", []string{"a.token/of+some=="}},
		"a token of a file":    {Config{BearerTokenFile: file}, "/", []string{"token of a file"}},
		"a header":             {Config{Header: http.Header{"X-Api-Key": {"0123456789abcdef"}}}, "/", []string{"0123456789abcdef"}},
		"parts of headers": {Config{Header: http.Header{"Authorization": {"ApiKey abcdefgh1"}, "Cookie": {`session="abcdefgh2"; b=c`}}}, "/",
			[]string{"abcdefgh1", "abcdefgh2"}},
		"basic authentication as a header": {Config{Header: http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+password))}}},
			"/", []string{password}},
		"a query": {Config{}, "/?token=" + url.QueryEscape(password) + "&k=abcdefgh3", []string{password, "abcdefgh3"}},
	} {
		for _, answer := range []func(w http.ResponseWriter, text string){
			func(w http.ResponseWriter, text string) { http.Error(w, text, http.StatusUnauthorized) },
			func(w http.ResponseWriter, text string) {
				http.Error(w, strings.Repeat("-", 290)+text, http.StatusUnauthorized)
			},
			func(w http.ResponseWriter, text string) {
				standin.ConnectError(w, http.StatusUnauthorized, "unauthenticated", text)
			},
			func(w http.ResponseWriter, text string) { standin.GRPCError(w, 16, text) },
		} {
			server := standin.Serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { answer(w, repeated(r, c.secrets...)) })
			c.config.Address = server.URL
			client, m := dial(t, c.config)
			_, err := client.Post(t.Context(), c.path, "text/plain", nil)
			failures := []error{err}
			if c.path == "/" {
				c.config.GRPC = true
				_, overGRPC := dial(t, c.config)
				failures = append(failures, call(t, m), call(t, overGRPC))
			}
			for _, err := range failures {
				if f := (*delivery.Failure)(nil); errors.As(err, &f) && f != nil && reveals(f.Error(), c.secrets...) != "" {
					t.Errorf("%s: %v", about, err)
				}
			}
			if len(server.Calls()) != len(failures) {
				t.Errorf("%s: %d calls", about, len(server.Calls()))
			}
		}
	}
}

// A cut in the midst of a secret leaves its beginning.
func TestALongAnswerIsBlankedBeforeItIsCut(t *testing.T) {
	client, _ := dial(t, Config{Address: "http://localhost", BearerToken: "abcdefghijklmnop"})
	for length := range mostReasonRunes {
		if got := client.Line(strings.Repeat("-", length)+"abcdefghijklmnop", ""); strings.Contains(got, "abcd") {
			t.Fatal(length, got)
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	client, _ := dial(t, Config{Address: "http://localhost", User: "reader", Password: "1", Header: http.Header{"X-Scope-OrgID": {"401", ""}}})
	for text, want := range map[string]string{
		"401 Unauthorized: reader may not":     "[secret] Unauthorized: reader may not",
		"tenant 401x has 14011 rows":           "tenant 401x has 14011 rows",
		"Authorization is missing, try Bearer": "Authorization is missing, try Bearer",
		"password 1 of 12":                     "password [secret] of 12",
	} {
		if got := client.Line(text, ""); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if plain, _ := dial(t, Config{Address: "http://localhost"}); plain.Line("as it is", "/path") != "as it is" {
		t.Error("without any secret")
	}
}

func TestOfConnectionsNoSecretIsKept(t *testing.T) {
	gone := standin.Serve(t, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	t.Setenv("HTTPS_PROXY", "http://user:secret of a proxy@\x7f")
	client, m := dial(t, Config{Address: gone.URL, Proxy: func(*http.Request) (*url.URL, error) {
		return &url.URL{Scheme: "http", User: url.UserPassword("me", "secret-of-a-proxy"), Host: "127.0.0.1:1"}, nil
	}})
	_, err := client.Post(t.Context(), "/?token=abcdefgh", "text/plain", nil)
	for _, err := range []error{err, call(t, m), client.Put(t.Context(), gone.URL+"/?Signature=abcdefgh", strings.NewReader(""), 0)} {
		if err == nil || reveals(err.Error(), "abcdefgh", "secret-of-a-proxy") != "" {
			t.Error(err)
		}
	}
	if got := client.Line(`invalid proxy address "http://user:secret of a proxy@`+"\x7f"+`" secret-of-a-proxy`, ""); strings.Contains(got, "secret of") || strings.Contains(got, "-of-a") {
		t.Error(got)
	}
	for address, want := range map[string]string{"me:abcdefgh@host:4040": `"...@host:4040"`, "http://host?token=abcdefgh": `"http://host..."`, "https://a b": ""} {
		if _, err := New(Config{Address: address}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "abcdefgh") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Each form of a token that a file had before is blanked too, while an answer to it may still come.
func TestTokensThatWereRenewedAreBlanked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	server := standin.Serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "token-1 token-2 token-3", http.StatusForbidden)
	})
	client, _ := dial(t, Config{Address: server.URL, BearerTokenFile: file})
	var f *delivery.Failure
	for n := range 3 {
		if err := os.WriteFile(file, fmt.Appendf(nil, "token-%d", n+1), 0o600); err != nil {
			t.Fatal(err)
		}
		f = post(t, client)
	}
	if text := client.Line("token-1 token-2 token-3 token-4", ""); strings.Contains(f.Error(), "token-") || text != "[secret] [secret] [secret] token-4" {
		t.Error(f, text)
	}
	for n := range 100 {
		client.secrets.meet(fmt.Sprint("token of call ", n))
	}
	if len(client.secrets.met) > mostMet {
		t.Error(len(client.secrets.met))
	}
}
