package page

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// Folder is where a service serves the pages.
const Folder = "/debug/cgoheap/"

// filesFolder is below it, and has what the page consists of.
const filesFolder = "files/"

// methods are those of a service's pages, by their names below Folder.
var methods = map[string]string{
	"": http.MethodGet, "about": http.MethodGet, "account": http.MethodGet, "metrics": http.MethodGet, "profile": http.MethodGet,
	"source": http.MethodGet, "stacks": http.MethodGet, "suspects": http.MethodGet, "timeline": http.MethodGet,
	PartDump: http.MethodPost, PartSampling: http.MethodPost, PartTrim: http.MethodPost,
}

// Patterns returns a pattern for each page and file, for a mux that has the program's patterns too. Each has a method and no wildcard:
// one without a method conflicts with "GET /", and one for all of Folder with "GET /{tenant}/{service}/status". Then a mux panics.
func Patterns() (list []string) {
	for name, method := range methods {
		if name == "" {
			name = "{$}"
		}
		list = append(list, method+" "+Folder+name)
	}
	for _, name := range fileNames() {
		list = append(list, http.MethodGet+" "+Folder+filesFolder+path.Base(name))
	}
	slices.Sort(list)
	return list
}

// Handler serves the pages of a service. It reads paths itself, not by a mux: what hands it requests
// may be any router, may have taken a prefix away, and Go's own mux may be that of Go 1.21, which knows no methods.
type Handler struct {
	Pages map[string]http.HandlerFunc // by the names that methods has
	Hosts Hosts
}

// ServeHTTP serves a page or a file.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := nameOf(r.URL.Path)
	serve, method := h.Pages[name], methods[name]
	if file, isFile := strings.CutPrefix(name, filesFolder); isFile {
		serve, method = func(w http.ResponseWriter, r *http.Request) { ServeFile(w, r, file) }, http.MethodGet
	}
	allowed := h.Hosts.Reads
	if method == http.MethodPost {
		allowed = h.Hosts.Changes
	}
	switch {
	case r.URL.Path == "" || strings.HasSuffix(r.URL.Path+"/", Folder):
		toFolder(w, r)
	case serve == nil:
		Error(w, "cgoheap: there is no such page", http.StatusNotFound)
	case method == http.MethodGet && r.Method != http.MethodGet && r.Method != http.MethodHead:
		refuseMethod(w, "GET, HEAD")
	case method == http.MethodPost && r.Method != http.MethodPost:
		refuseMethod(w, http.MethodPost)
	default:
		if err := allowed(r); err != nil {
			Error(w, err.Error(), http.StatusForbidden)
			return
		}
		serve(w, r)
	}
}

// nameOf returns the name of a page: what follows Folder in a path, or the whole path if Folder was taken away from it.
func nameOf(path string) string {
	if _, name, below := strings.Cut(path, Folder); below {
		return name
	}
	return strings.TrimPrefix(path, "/")
}

// toFolder adds the slash that the page's links need at the end of the folder's address, whatever is before it.
func toFolder(w http.ResponseWriter, r *http.Request) {
	address, query, asked := strings.Cut(r.RequestURI, "?")
	address = "./" + path.Base(address) + "/"
	if asked {
		address += "?" + query
	}
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusMovedPermanently)
}

func refuseMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	Error(w, "cgoheap: this page is asked with "+allowed, http.StatusMethodNotAllowed)
}
