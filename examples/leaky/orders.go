package main

import (
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/http"
)

type order struct {
	Day     int
	Product string
	Cents   int
}

// handleOrders lists what a customer bought: one query with a parameter, its statement and its rows closed.
func (s *service) handleOrders(w http.ResponseWriter, r *http.Request) {
	orders, err := s.orders(r)
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	reply(w, r, orders)
}

func (s *service) orders(r *http.Request) ([]order, error) {
	rows, err := s.shop.QueryContext(r.Context(),
		`SELECT placed, product, cents FROM purchase WHERE customer = ? ORDER BY placed DESC LIMIT 20`,
		r.FormValue("customer"))
	if err != nil {
		return nil, err
	}
	return readOrders(rows)
}

// readOrders reads all rows, and closes them.
func readOrders(rows *sql.Rows) ([]order, error) {
	defer rows.Close()
	orders := []order{}
	for rows.Next() {
		var o order
		if err := rows.Scan(&o.Day, &o.Product, &o.Cents); err != nil {
			return nil, err
		}
		orders = append(orders, o)
	}
	return orders, rows.Err()
}

func reply(w http.ResponseWriter, r *http.Request, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		slog.DebugContext(r.Context(), "the client is gone", "error", err)
	}
}
