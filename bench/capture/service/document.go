//go:build service

package main

import "fmt"

// document is JSON of about 100 KB, with as many different strings as a real one.
func document() []byte {
	text := []byte("[")
	for i := range 500 {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, `{"id":%d,"name":"customer %d","tags":["a%d","b%d"],"address":{"street":"%d Long Street","city":"C%d"},`+
			`"amounts":[%d.5,%d.25,%d]}`, i, i*7919%1000, i%10, i%17, i, i%31, i, i*3, i*i)
	}
	return append(text, ']')
}
