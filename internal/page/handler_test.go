package page

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// named is a handler whose pages answer with their names.
func named() *Handler {
	h := &Handler{Pages: map[string]http.HandlerFunc{}}
	for name := range methods {
		h.Pages[name] = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("page " + name)) }
	}
	return h
}

func asked(h http.Handler, method, address string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(method, address, nil)
	request.Header.Set(Header, "1")
	request.Host = "localhost"
	h.ServeHTTP(answer, request)
	return answer
}

func TestPagesAreFoundWhereverTheyAreMounted(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET "+Folder, named())
	mux.Handle("POST "+Folder, named())
	mux.Handle("/internal"+Folder, named())
	mux.Handle("/admin"+Folder, http.StripPrefix("/admin", named()))
	mux.Handle("/heap/", http.StripPrefix("/heap", named()))
	mux.Handle("/memory/", http.StripPrefix("/memory/", named()))
	for _, folder := range []string{Folder, "/internal" + Folder, "/admin" + Folder, "/heap/", "/memory/"} {
		for name, method := range methods {
			if answer := asked(mux, method, folder+name); answer.Body.String() != "page "+name && !(name == "" && folder == "/memory/") {
				t.Errorf("%s %s%s: %d %s", method, folder, name, answer.Code, answer.Body)
			}
		}
		if answer := asked(mux, http.MethodGet, folder+"files/main.js"); answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != kinds[".js"] {
			t.Errorf("%sfiles/main.js: %d", folder, answer.Code)
		}
		for _, name := range []string{"nothing", "files/nothing", "files/../account", "files/", "account/", "/account"} {
			if answer := asked(named(), http.MethodGet, folder+name); answer.Code != http.StatusNotFound && folder == Folder {
				t.Errorf("%s%s: %d", folder, name, answer.Code)
			}
		}
	}
}

// Links of the page are relative: without the slash, they would lead beside the folder.
func TestTheFolderEndsWithASlash(t *testing.T) {
	for _, c := range []struct {
		h        http.Handler
		from, to string
	}{
		{named(), "/debug/cgoheap", "./cgoheap/"},
		{named(), "/debug/cgoheap?view=rss&by=a%20b", "./cgoheap/?view=rss&by=a%20b"},
		{named(), "/internal/debug/cgoheap", "./cgoheap/"},
		{http.StripPrefix("/heap", named()), "/heap", "./heap/"},
		{http.StripPrefix("/javascript:alert(1)", named()), "/javascript:alert(1)", "./javascript:alert(1)/"},
	} {
		if answer := asked(c.h, http.MethodGet, c.from); answer.Code != http.StatusMovedPermanently || answer.Header().Get("Location") != c.to {
			t.Errorf("%s: %d, %q", c.from, answer.Code, answer.Header().Get("Location"))
		}
	}
}

func TestAPageHasItsMethods(t *testing.T) {
	for name, right := range methods {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodOptions, http.MethodConnect, "get"} {
			answer := asked(named(), method, Folder+name)
			allowed := method == right || method == http.MethodHead && right == http.MethodGet
			if allowed != (answer.Code == http.StatusOK) || !allowed && (answer.Code != http.StatusMethodNotAllowed || !strings.Contains(answer.Header().Get("Allow"), right)) {
				t.Errorf("%s %s: %d, %v", method, name, answer.Code, answer.Header())
			}
		}
	}
	if answer := asked(named(), http.MethodPost, Folder+"files/main.js"); answer.Code != http.StatusMethodNotAllowed {
		t.Error(answer.Code)
	}
}
