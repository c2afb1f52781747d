package main

import (
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// handleExport answers with all orders as CSV, from a copy of the shop that no order changes meanwhile. It leaks: the copy stays
// open for a client that asks for more, and none ever does. SQLite maps the copy's file, so this memory is not malloc's.
func (s *service) handleExport(w http.ResponseWriter, r *http.Request) {
	orders, err := s.export()
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv")
	table := csv.NewWriter(w)
	for _, o := range orders {
		_ = table.Write([]string{strconv.Itoa(o.Day), o.Product, strconv.Itoa(o.Cents)}) // Flush keeps the error
	}
	table.Flush()
	if err := table.Error(); err != nil {
		slog.DebugContext(r.Context(), "the client is gone", "error", err)
	}
}

// export has no context: with one that can end, the driver would read on a goroutine of its own.
func (s *service) export() ([]order, error) {
	copied, err := copyShop(s.shop)
	if err != nil {
		return nil, fmt.Errorf("copying the shop: %w", err)
	}
	s.copies.keep(copied)
	rows, err := copied.Query(`SELECT placed, product, cents FROM purchase`)
	if err != nil {
		return nil, err
	}
	return readOrders(rows)
}

// largestMap bounds how much of a copy SQLite maps; it reads what lies beyond.
const largestMap = 64 << 20

// copyShop makes a copy in a file without a name, which SQLite reads where it is mapped.
func copyShop(shop *sql.DB) (*sql.DB, error) {
	dir, err := os.MkdirTemp("", "leaky-export-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "shop.db")
	if _, err := shop.Exec(`VACUUM INTO ?`, path); err != nil {
		return nil, err
	}
	copied, err := sql.Open("sqlite3", path)
	if err != nil {
		return nil, err
	}
	copied.SetMaxOpenConns(1)
	if _, err := copied.Exec(fmt.Sprintf(`PRAGMA mmap_size = %d`, largestMap)); err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return copied, nil
}

// copies are open copies of the shop.
type copies struct {
	mu   sync.Mutex
	open []*sql.DB
}

func (c *copies) keep(copied *sql.DB) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, copied)
}

func (c *copies) entries() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

func (c *copies) close() (err error) {
	for _, copied := range c.open {
		err = errors.Join(err, copied.Close())
	}
	return err
}
