package main

import (
	"database/sql"
	"fmt"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

const schema = `
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE purchase (
	id INTEGER PRIMARY KEY,
	customer INTEGER NOT NULL REFERENCES customer,
	placed INTEGER NOT NULL, -- day
	product TEXT NOT NULL,
	cents INTEGER NOT NULL
);
CREATE INDEX purchase_by_customer ON purchase (customer, placed);

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
INSERT INTO customer SELECT i, 'customer ' || i, 'region ' || (i % 5) FROM n;

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000)
INSERT INTO purchase SELECT i, 1 + i % 50, i % 365, 'product ' || (i % 17), 100 + i % 900 FROM n;
`

// openShop makes a shop with some customers and what they bought.
func openShop() (*sql.DB, error) {
	shop, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("opening the shop: %w", err)
	}
	// Each connection to ":memory:" is a database of its own.
	shop.SetMaxOpenConns(1)
	if _, err := shop.Exec(schema); err != nil {
		_ = shop.Close()
		return nil, fmt.Errorf("filling the shop: %w", err)
	}
	return shop, nil
}
