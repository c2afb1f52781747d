//go:build leaks

/* Iterators and batches of RocksDB that nobody destroyed. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>

#include "trial.h"

enum { ITERATOR = 1 << 12, BATCH = 1 << 14, MOST = 1 << 13, KEYS = 1000 };

static rocksdb_t *db;
static rocksdb_readoptions_t *reading;
static rocksdb_iterator_t *iterators[MOST], *volatile last_iterator;
static rocksdb_writebatch_t *batches[MOST], *volatile last_batch;

static void check(char *error)
{
	if (error) {
		fprintf(stderr, "RocksDB: %s\n", error);
		abort();
	}
}

static rocksdb_writebatch_t *batch(void)
{
	char key[32], value[100] = {0};
	rocksdb_writebatch_t *made = rocksdb_writebatch_create();
	for (int i = 0; i < 100; i++)
		rocksdb_writebatch_put(made, key, (size_t)sprintf(key, "key%08d", i), value, sizeof value);
	return made;
}

static void prepare(void)
{
	char *error = NULL;
	rocksdb_options_t *options = rocksdb_options_create();
	rocksdb_options_set_create_if_missing(options, 1);
	rocksdb_options_set_env(options, rocksdb_create_mem_env()); /* no files */
	db = rocksdb_open(options, "/database", &error);
	check(error);
	rocksdb_writeoptions_t *writing = rocksdb_writeoptions_create();
	rocksdb_writeoptions_disable_WAL(writing, 1);
	rocksdb_writebatch_t *first = batch();
	rocksdb_write(db, writing, first, &error);
	check(error);
	rocksdb_writebatch_destroy(first);
	rocksdb_writeoptions_destroy(writing);
	reading = rocksdb_readoptions_create();
}

static rocksdb_iterator_t *started(void)
{
	rocksdb_iterator_t *at = rocksdb_create_iterator(db, reading);
	rocksdb_iter_seek_to_first(at);
	if (!rocksdb_iter_valid(at))
		abort();
	return at;
}

static APART rocksdb_iterator_t *lost_iterator(void) { return MADE(started()); }
static APART rocksdb_iterator_t *kept_iterator(void) { return MADE(started()); }
static APART rocksdb_iterator_t *freed_iterator(void) { return MADE(started()); }
static APART rocksdb_writebatch_t *lost_batch(void) { return MADE(batch()); }
static APART rocksdb_writebatch_t *kept_batch(void) { return MADE(batch()); }

static void run_iterators(void)
{
	prepare();
	for (size_t i = 0; i < trial_number(ITERATOR) && i < MOST; i++) {
		last_iterator = lost_iterator();
		iterators[i] = kept_iterator();
		rocksdb_iter_destroy(freed_iterator());
	}
	last_iterator = NULL;
	trial_reads(iterators);
	trial_held("kept_iterator", "global iterators|block allocated in ");
}

static void run_batches(void)
{
	for (size_t i = 0; i < trial_number(BATCH) && i < MOST; i++) {
		last_batch = lost_batch();
		batches[i] = kept_batch();
	}
	last_batch = NULL;
	trial_reads(batches);
	trial_held("kept_batch", "global batches|block allocated in ");
}

const struct trial_case trial_cases[] = {{"rocksdb_iterator", run_iterators}, {"rocksdb_batch", run_batches}, {0}};
