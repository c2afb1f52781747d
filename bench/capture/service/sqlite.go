//go:build service

package main

import (
	"database/sql"
	"fmt"

	_ "github.com/mattn/go-sqlite3" // the driver
)

const customers = 1000

func openTable() (*sql.DB, error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	_, err = db.Exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, item TEXT, amount REAL);" +
		"CREATE INDEX by_customer ON orders (customer)")
	return db, err
}

func customer(i int) string { return fmt.Sprint("customer ", i%customers) }

// insertRows inserts a row at a time.
func insertRows() (func() error, error) {
	db, err := openTable()
	if err != nil {
		return nil, err
	}
	i := 0
	return func() error {
		i++
		_, err := db.Exec("INSERT INTO orders (customer, item, amount) VALUES (?, ?, ?)", customer(i), "a thing of some kind", i)
		return err
	}, nil
}

// selectRows reads the ten largest orders of a customer.
func selectRows() (func() error, error) {
	db, err := openTable()
	if err != nil {
		return nil, err
	}
	for i := range 20 * customers {
		if _, err := db.Exec("INSERT INTO orders (customer, item, amount) VALUES (?, ?, ?)", customer(i), "a thing", i); err != nil {
			return nil, err
		}
	}
	i := 0
	return func() error {
		i++
		rows, err := db.Query("SELECT item, amount FROM orders WHERE customer = ? ORDER BY amount DESC LIMIT 10", customer(i))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var item string
			var amount float64
			if err := rows.Scan(&item, &amount); err != nil {
				return err
			}
		}
		return rows.Err()
	}, nil
}
