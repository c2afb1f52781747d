package main

import (
	"database/sql"
	"errors"
	"log/slog"
	"net/http"

	"github.com/cgoheap/cgoheap/examples/leaky/raster"
)

// service answers the shop's requests.
type service struct {
	shop       *sql.DB
	statements *statements    // grows for ever
	thumbnails *raster.Cache  // grows for ever
	copies     copies         // grows for ever
	sheets     *raster.Worker // does not grow
	album      album
}

func newService() (*service, error) {
	shop, err := openShop()
	if err != nil {
		return nil, err
	}
	thumbnails, errCache := raster.OpenCache()
	sheets, errWorker := raster.OpenWorker()
	if err := errors.Join(errCache, errWorker); err != nil {
		return nil, errors.Join(err, shop.Close())
	}
	return &service{
		shop:       shop,
		statements: newStatements(shop),
		thumbnails: thumbnails,
		sheets:     sheets,
		album:      newAlbum(),
	}, nil
}

func (s *service) mount(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /orders", s.handleOrders)
	mux.HandleFunc("GET /report", s.handleReport)
	mux.HandleFunc("GET /export", s.handleExport)
	mux.HandleFunc("GET /thumbnail", s.handleThumbnail)
	mux.HandleFunc("POST /preview", s.handlePreview)
	mux.HandleFunc("GET /contactsheet", s.handleContactSheet)
}

// close frees all native memory, the leaked memory too: the service still has pointers to it.
func (s *service) close() {
	s.sheets.Close()
	s.thumbnails.Close()
	if err := errors.Join(s.copies.close(), s.shop.Close()); err != nil {
		slog.Error("closing the shop", "error", err)
	}
}

// fail answers with an error, and logs it if it is the service's fault.
func fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	if status >= http.StatusInternalServerError {
		slog.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	http.Error(w, err.Error(), status)
}
