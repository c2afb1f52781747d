package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"sync"
)

//go:embed files vendored/uPlot.iife.min.js vendored/uPlot.min.css
var embedded embed.FS

// index is the file that the folder itself shows.
const index = "index.html"

// kinds are the types of files that the page consists of, by their endings. Others are not served.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
}

// asset is a file, packed and as it is.
type asset struct {
	kind, tag     string
	plain, packed []byte
}

// assets returns all files by name. They are packed at the first call: a program that shows nobody the page pays nothing.
var assets = sync.OnceValue(func() map[string]asset {
	list := make(map[string]asset)
	for _, name := range fileNames() {
		if plain, err := embedded.ReadFile(name); err == nil {
			list[path.Base(name)] = newAsset(kinds[path.Ext(name)], plain)
		}
	}
	return list
})

// fileNames returns the names of all files as they are embedded.
func fileNames() (list []string) {
	for _, dir := range []string{"files", "vendored"} {
		entries, err := embedded.ReadDir(dir)
		if err != nil {
			continue // the pattern above names it: the compiler has checked that it is there
		}
		for _, e := range entries {
			if kinds[path.Ext(e.Name())] != "" {
				list = append(list, dir+"/"+e.Name())
			}
		}
	}
	return list
}

func newAsset(kind string, plain []byte) asset {
	sum := sha256.Sum256(plain)
	var packed bytes.Buffer
	pack(&packed, plain)
	return asset{kind: kind, tag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: plain, packed: packed.Bytes()}
}

// ServeIndex answers with the page.
func ServeIndex(w http.ResponseWriter, r *http.Request) { ServeFile(w, r, index) }

// ServeFile answers with a file of the page; 404 if it has none of that name. A browser that has the file already is told so.
func ServeFile(w http.ResponseWriter, r *http.Request, name string) {
	a, known := assets()[name]
	if !known {
		Error(w, "cgoheap: the page has no such file", http.StatusNotFound)
		return
	}
	Guard(w)
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache") // ask whether it has changed
	h.Set("ETag", a.tag)
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if takesGzip(r) {
		body = a.packed
		h.Set("Content-Encoding", "gzip")
	}
	_, _ = w.Write(body)
}
