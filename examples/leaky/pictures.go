package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/cgoheap/cgoheap/examples/leaky/raster"
)

// largestUpload bounds what handlePreview reads.
const largestUpload = 8 << 20

// handleThumbnail shows a photo of the album, small. It leaks: thumbnails are kept by the whole URL of the request, and that
// includes anything that the client adds to it.
func (s *service) handleThumbnail(w http.ResponseWriter, r *http.Request) {
	photo, err := s.album.photo(r.FormValue("photo"))
	if err != nil {
		fail(w, r, http.StatusNotFound, err)
		return
	}
	width, err := strconv.Atoi(r.FormValue("width"))
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	thumbnail, err := s.thumbnails.Thumbnail(r.URL.String(), photo, width)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	show(w, thumbnail)
}

// handlePreview shows an uploaded picture, small, and keeps nothing of it.
func (s *service) handlePreview(w http.ResponseWriter, r *http.Request) {
	width, err := strconv.Atoi(r.FormValue("width"))
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	picture, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestUpload))
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	preview, err := raster.Shrink(picture, width)
	if err != nil {
		fail(w, r, http.StatusUnprocessableEntity, err)
		return
	}
	show(w, preview)
}

// handleContactSheet shows the whole album, small. The thumbnails are made on the worker's thread and freed on this one.
func (s *service) handleContactSheet(w http.ResponseWriter, r *http.Request) {
	width, err := strconv.Atoi(r.FormValue("width"))
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	thumbnails, err := s.sheets.ShrinkAll(s.album, width)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	// PPM pictures in one file, one after the other, are a valid PPM file.
	show(w, bytes.Join(thumbnails, nil))
}

func show(w http.ResponseWriter, picture []byte) {
	w.Header().Set("Content-Type", "image/x-portable-anymap")
	w.Header().Set("Content-Length", fmt.Sprint(len(picture)))
	_, _ = w.Write(picture) // an error here is a client that is gone
}
