// Command orders is a shop that leaks slowly.
package main

// #include "shop.h"
import "C"

import (
	"fmt"
	"net/http"

	_ "github.com/cgoheap/cgoheap/auto"
	"github.com/cgoheap/cgoheap/e2e/page/hunt/load"
)

func handleSearch(w http.ResponseWriter, r *http.Request)   { answer(w, searchProducts(load.Number(r))) }
func handleLogin(w http.ResponseWriter, r *http.Request)    { answer(w, openSession(load.Number(r))) }
func handleCheckout(w http.ResponseWriter, r *http.Request) { answer(w, checkOut(load.Number(r))) }
func handleInvoice(w http.ResponseWriter, r *http.Request)  { answer(w, renderInvoice(load.Number(r))) }
func handleStock(w http.ResponseWriter, r *http.Request)    { answer(w, countStock(load.Number(r))) }

func searchProducts(n int) int { return int(C.shop_search(C.int(n))) }
func openSession(n int) int    { return int(C.shop_login(C.int(n))) }
func checkOut(n int) int       { return int(C.shop_checkout(C.int(n))) }
func renderInvoice(n int) int  { return int(C.shop_invoice(C.int(n))) }
func countStock(n int) int     { return int(C.shop_stock(C.int(n))) }

func answer(w http.ResponseWriter, n int) { fmt.Fprintln(w, n) }

func main() {
	http.HandleFunc("/search", handleSearch)
	http.HandleFunc("/login", handleLogin)
	http.HandleFunc("/checkout", handleCheckout)
	http.HandleFunc("/invoice", handleInvoice)
	http.HandleFunc("/stock", handleStock)
	load.Serve("localhost:8181", map[string]float64{
		"/search":   20,
		"/login":    10,
		"/checkout": 8,
		"/invoice":  10, // 5 a second leak 3.4 KiB: 1 MiB a minute
		"/stock":    10,
	})
}
