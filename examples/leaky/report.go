package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

type report struct {
	Name   string
	Region string
	Orders int
	Cents  int
}

// handleReport sums up what a customer bought after some day. It leaks: it writes the customer and the day into the text
// of the query, and statements are kept by their text.
func (s *service) handleReport(w http.ResponseWriter, r *http.Request) {
	customer, errCustomer := strconv.Atoi(r.FormValue("customer"))
	after, errAfter := strconv.Atoi(r.FormValue("after"))
	if err := errors.Join(errCustomer, errAfter); err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	report, err := s.report(r.Context(), customer, after)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		fail(w, r, http.StatusNotFound, err)
	case err != nil:
		fail(w, r, http.StatusInternalServerError, err)
	default:
		reply(w, r, report)
	}
}

func (s *service) report(ctx context.Context, customer, after int) (report, error) {
	var sum report
	statement, err := s.statements.prepare(ctx, fmt.Sprintf(`
		SELECT name, region, count(purchase.id), ifnull(sum(cents), 0)
		FROM customer LEFT JOIN purchase ON purchase.customer = customer.id AND placed > %d
		WHERE customer.id = %d
		GROUP BY customer.id`, after, customer))
	if err != nil {
		return sum, err
	}
	err = statement.QueryRowContext(ctx).Scan(&sum.Name, &sum.Region, &sum.Orders, &sum.Cents)
	return sum, err
}

// statements prepares each query once and keeps it for the next time. There is no bound, and nothing closes a statement
// before the shop itself is closed.
type statements struct {
	shop *sql.DB

	mu     sync.Mutex
	byText map[string]*sql.Stmt
}

func newStatements(shop *sql.DB) *statements {
	return &statements{shop: shop, byText: map[string]*sql.Stmt{}}
}

func (s *statements) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if statement := s.byText[text]; statement != nil {
		return statement, nil
	}
	statement, err := s.shop.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("preparing a report: %w", err)
	}
	s.byText[text] = statement
	return statement, nil
}

func (s *statements) entries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byText)
}
