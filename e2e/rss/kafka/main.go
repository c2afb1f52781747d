// Command kafka produces messages to the cluster that librdkafka simulates, and consumes them again.
package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

const producers = 2

const topic = "audited"

var (
	produced [producers]*kafka.Producer
	consumer *kafka.Consumer
	payload  = make([]byte, 1000)
)

func main() {
	audit.Main(audit.Load{Threads: producers + 1, Warm: 100, Prepare: prepare, Round: round})
}

func prepare() error {
	cluster, err := kafka.NewMockCluster(3)
	if err != nil {
		return err
	}
	if err := cluster.CreateTopic(topic, 4, 1); err != nil {
		return err
	}
	servers := cluster.BootstrapServers()
	for i := range produced {
		produced[i], err = kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": servers, "linger.ms": 5, "compression.type": "lz4",
			"go.delivery.reports": false, "go.events.channel.size": 1000, "go.produce.channel.size": 1000, "queue.buffering.max.messages": 20000})
		if err != nil {
			return err
		}
	}
	consumer, err = kafka.NewConsumer(&kafka.ConfigMap{"bootstrap.servers": servers, "group.id": "audit", "auto.offset.reset": "earliest",
		"queued.max.messages.kbytes": 16384})
	if err != nil {
		return err
	}
	return consumer.Subscribe(topic, nil)
}

func round(thread int) error {
	if thread == producers {
		return consume()
	}
	return produce(produced[thread])
}

func produce(p *kafka.Producer) error {
	name := topic
	for n := range 200 {
		err := p.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &name, Partition: kafka.PartitionAny},
			Key: fmt.Append(nil, n), Value: payload}, nil)
		if err != nil && !full(err) {
			return err
		}
	}
	time.Sleep(2 * time.Millisecond)
	return nil
}

// full reports that messages come faster than the cluster takes them.
func full(err error) bool {
	var of kafka.Error
	return errors.As(err, &of) && of.Code() == kafka.ErrQueueFull
}

func consume() error {
	for range 1000 {
		switch event := consumer.Poll(10).(type) {
		case nil:
			return nil
		case kafka.Error:
			if event.IsFatal() {
				return event
			}
		}
	}
	return nil
}
