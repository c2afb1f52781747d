/* Queues: one that nobody drains grows, but is held; one is drained by someone who forgets to free. And blocks that only a
 * small block points to, which sampling seldom records. */
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 1000, HEADER = 24, PAYLOAD = 4000, MOST = 1 << 13 };

struct message {
	struct message *next;
	char text[SIZE - sizeof(void *)];
};

struct queue {
	struct message *first, **last;
};

static struct queue never_drained = {NULL, &never_drained.first}, drained = {NULL, &drained.first};

static APART struct message *kept_in_queue(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART struct message *lost_from_queue(void) { return COUNTED(malloc(SIZE), SIZE); }

static void push(struct queue *queue, struct message *message)
{
	message->next = NULL;
	*queue->last = message;
	queue->last = &message->next;
}

static APART void forget_first(struct queue *queue)
{
	queue->first = queue->first->next;
	if (!queue->first)
		queue->last = &queue->first;
}

void queues(void)
{
	for (size_t i = 0; i < trial_number(SIZE); i++) {
		push(&never_drained, kept_in_queue());
		push(&drained, lost_from_queue());
		if (i % 16 == 15)
			while (drained.first)
				forget_first(&drained);
	}
	while (drained.first)
		forget_first(&drained);
	trial_held("kept_in_queue", "global never_drained|block allocated in kept_in_queue");
}

struct header {
	void *payload;
	size_t size;
};

static struct header *headers[MOST], *volatile header;

static APART void *lost_header(void) { return COUNTED(malloc(HEADER), HEADER); }
static APART void *kept_header(void) { return COUNTED(malloc(HEADER), HEADER); }
static APART void *lost_behind_header(void) { return COUNTED(malloc(PAYLOAD), PAYLOAD); }
static APART void *kept_behind_header(void) { return COUNTED(malloc(PAYLOAD), PAYLOAD); }

void small_headers(void)
{
	for (size_t i = 0; i < trial_number(PAYLOAD) && i < MOST; i++) {
		headers[i] = kept_header();
		headers[i]->payload = kept_behind_header();
		header = lost_header();
		header->payload = lost_behind_header();
	}
	header = NULL;
	trial_reads(headers);
	trial_held("kept_header", "global headers");
	trial_held("kept_behind_header", "global headers|block allocated in kept_header");
}
