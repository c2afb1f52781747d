//go:build rss

#include "store.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <string.h>

static rocksdb_t *db;
static rocksdb_writeoptions_t *writing;
static rocksdb_readoptions_t *reading;

char *store_open(const char *path) {
	rocksdb_options_t *options = rocksdb_options_create();
	rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
	rocksdb_block_based_options_set_block_cache(table, rocksdb_cache_create_lru(48 << 20));
	rocksdb_options_set_block_based_table_factory(options, table);
	rocksdb_options_set_create_if_missing(options, 1);
	rocksdb_options_set_write_buffer_size(options, 8 << 20);
	rocksdb_options_increase_parallelism(options, 2);
	rocksdb_options_set_compression(options, rocksdb_snappy_compression);
	writing = rocksdb_writeoptions_create();
	rocksdb_writeoptions_disable_WAL(writing, 1);
	reading = rocksdb_readoptions_create();
	char *error = NULL;
	db = rocksdb_open(options, path, &error);
	return error;
}

static size_t make_key(char *key, size_t room, unsigned n) {
	return (size_t)snprintf(key, room, "key%08u", n * 2654435761u % 200000);
}

// Values are half as long when they are compressed.
static char *write_some(unsigned *seed) {
	char key[32], value[400] = {0};
	rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
	for (int i = 0; i < 500; i++) {
		for (size_t at = 0; at < sizeof value / 2; at++)
			value[at] = (char)rand_r(seed);
		size_t length = make_key(key, sizeof key, (unsigned)rand_r(seed));
		rocksdb_writebatch_put(batch, key, length, value, sizeof value);
	}
	char *error = NULL;
	rocksdb_write(db, writing, batch, &error);
	rocksdb_writebatch_destroy(batch);
	return error;
}

static char *read_some(unsigned *seed) {
	char key[32], *error = NULL;
	for (int i = 0; i < 200 && !error; i++) {
		size_t length = make_key(key, sizeof key, (unsigned)rand_r(seed)), found;
		rocksdb_free(rocksdb_get(db, reading, key, length, &found, &error));
	}
	return error;
}

static void scan_some(unsigned *seed) {
	char key[32];
	rocksdb_iterator_t *at = rocksdb_create_iterator(db, reading);
	rocksdb_iter_seek(at, key, make_key(key, sizeof key, (unsigned)rand_r(seed)));
	for (int i = 0; i < 1000 && rocksdb_iter_valid(at); i++)
		rocksdb_iter_next(at);
	rocksdb_iter_destroy(at);
}

char *store_round(int thread) {
	static __thread unsigned seed;
	if (seed == 0)
		seed = (unsigned)thread + 1;
	char *error = write_some(&seed);
	if (!error)
		error = read_some(&seed);
	scan_some(&seed);
	return error;
}
