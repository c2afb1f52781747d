// Package exposition writes metrics in Prometheus's text format 0.0.4, which every scraper reads:
//
//	# HELP cgoheap_account_bytes resident bytes of each line of the account
//	# TYPE cgoheap_account_bytes gauge
//	cgoheap_account_bytes{line="malloc: in use"} 1.048576e+06
//
// The values of one metric stand together, below its HELP and TYPE. In HELP, backslashes and line ends are escaped; in the
// value of a label, quotes too. Bytes that are no UTF-8, which scrapers refuse, become U+FFFD.
package exposition
