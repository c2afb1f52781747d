/* Headers and lists of partitions of librdkafka. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "trial.h"

/* What is used of rdkafka.h, which only confluent-kafka-go has. */
typedef struct rd_kafka_headers_s headers_t;
typedef struct rd_kafka_topic_partition_list_s partitions_t;
headers_t *rd_kafka_headers_new(size_t number);
void rd_kafka_headers_destroy(headers_t *headers);
int rd_kafka_header_add(headers_t *headers, const char *name, ssize_t name_size, const void *value, ssize_t value_size);
partitions_t *rd_kafka_topic_partition_list_new(int size);
void *rd_kafka_topic_partition_list_add(partitions_t *list, const char *topic, int32_t partition);
void rd_kafka_topic_partition_list_destroy(partitions_t *list);

enum { HEADERS = 1 << 11, PARTITIONS = 1 << 12, MOST = 1 << 14 };

static headers_t *headers_kept[MOST], *volatile last_headers;
static partitions_t *partitions_kept[MOST], *volatile last_partitions;

static headers_t *some_headers(void)
{
	static const char value[100];
	headers_t *made = rd_kafka_headers_new(16);
	for (int i = 0; i < 10; i++)
		rd_kafka_header_add(made, "traceparent", -1, value, sizeof value);
	return made;
}

static partitions_t *some_partitions(void)
{
	partitions_t *made = rd_kafka_topic_partition_list_new(10);
	for (int32_t i = 0; i < 10; i++)
		rd_kafka_topic_partition_list_add(made, "a topic that has a name", i);
	return made;
}

static APART headers_t *lost_headers(void) { return MADE(some_headers()); }
static APART headers_t *kept_headers(void) { return MADE(some_headers()); }
static APART headers_t *freed_headers(void) { return MADE(some_headers()); }
static APART partitions_t *lost_partitions(void) { return MADE(some_partitions()); }
static APART partitions_t *kept_partitions(void) { return MADE(some_partitions()); }
static APART partitions_t *freed_partitions(void) { return MADE(some_partitions()); }

static void headers(void)
{
	for (size_t i = 0; i < trial_number(HEADERS) && i < MOST; i++) {
		last_headers = lost_headers();
		headers_kept[i] = kept_headers();
		rd_kafka_headers_destroy(freed_headers());
	}
	last_headers = NULL;
	trial_reads(headers_kept);
	trial_held("kept_headers", "global headers_kept|block allocated in ");
}

static void partitions(void)
{
	for (size_t i = 0; i < trial_number(PARTITIONS) && i < MOST; i++) {
		last_partitions = lost_partitions();
		partitions_kept[i] = kept_partitions();
		rd_kafka_topic_partition_list_destroy(freed_partitions());
	}
	last_partitions = NULL;
	trial_reads(partitions_kept);
	trial_held("kept_partitions", "global partitions_kept|block allocated in ");
}

const struct trial_case trial_cases[] = {{"librdkafka_headers", headers}, {"librdkafka_partitions", partitions}, {0}};
