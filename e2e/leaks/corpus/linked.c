/* Lists, rings and trees: one pointer is lost, and all is. */
#include <stdint.h>
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 1000, RING = 100, RINGS = 1 << 10 };

struct node {
	struct node *next, *previous;
	char text[SIZE - 2 * sizeof(void *)];
};

static struct node *volatile list_lost, *volatile list_kept;

static APART struct node *lost_in_list(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART struct node *kept_in_list(void) { return COUNTED(malloc(SIZE), SIZE); }

static struct node *list(struct node *(*make)(void))
{
	struct node *first = NULL;
	for (size_t i = 0; i < trial_number(SIZE); i++) {
		struct node *node = make();
		node->next = first;
		node->previous = NULL;
		first = node;
	}
	return first;
}

void lists(void)
{
	list_lost = list(lost_in_list);
	list_kept = list(kept_in_list);
	list_lost = NULL;
	trial_held("kept_in_list", "global list_kept|block allocated in kept_in_list");
}

static struct node *rings_kept[RINGS];
static struct node *volatile ring_last;

static APART struct node *lost_in_ring(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART struct node *kept_in_ring(void) { return COUNTED(malloc(SIZE), SIZE); }

static struct node *ring(struct node *(*make)(void))
{
	struct node *first = make();
	first->next = first->previous = first;
	for (int i = 1; i < RING; i++) {
		struct node *node = make();
		node->next = first->next;
		node->previous = first;
		first->next->previous = node;
		first->next = node;
	}
	return first;
}

void rings(void)
{
	for (size_t i = 0; i < trial_number((size_t)SIZE * RING) && i < RINGS; i++) {
		ring_last = ring(lost_in_ring);
		rings_kept[i] = ring(kept_in_ring);
	}
	ring_last = NULL;
	trial_reads(rings_kept);
	trial_held("kept_in_ring", "global rings_kept|block allocated in kept_in_ring");
}

static struct node *volatile tree_lost, *volatile tree_kept;

static APART struct node *lost_in_tree(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART struct node *kept_in_tree(void) { return COUNTED(malloc(SIZE), SIZE); }

/* A tree without order; its sides are next and previous. Bits of a random number say where a node belongs. */
static struct node *tree(struct node *(*make)(void))
{
	struct node *root = NULL;
	for (size_t i = 0; i < trial_number(SIZE); i++) {
		uint32_t way = (uint32_t)i * 2654435761u;
		struct node **place = &root;
		while (*place) {
			place = way >> 31 ? &(*place)->next : &(*place)->previous;
			way = way << 1 | way >> 31;
		}
		*place = make();
		(*place)->next = (*place)->previous = NULL;
	}
	return root;
}

void trees(void)
{
	tree_lost = tree(lost_in_tree);
	tree_kept = tree(kept_in_tree);
	tree_lost = NULL;
	trial_held("kept_in_tree", "global tree_kept|block allocated in kept_in_tree");
}
