// Command kafka loses headers and lists of partitions of librdkafka.
package main

/*
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
*/
import "C"

import (
	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
	_ "github.com/confluentinc/confluent-kafka-go/v2/kafka" // the librdkafka that is called
)

func main() { trial.Main() }
