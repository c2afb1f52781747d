/* Results of DuckDB that nobody destroyed. Its memory is in a jemalloc of its own. */
#include <stdint.h>
#include <stdlib.h>

#include "trial.h"

/* What is used of duckdb.h, which only duckdb-go-bindings has. */
typedef struct database *duckdb_database;
typedef struct connection *duckdb_connection;
typedef struct {
	uint64_t columns, rows, rows_changed;
	void *column, *message, *internal;
} duckdb_result;
int duckdb_open(const char *path, duckdb_database *database);
int duckdb_connect(duckdb_database database, duckdb_connection *connection);
int duckdb_query(duckdb_connection connection, const char *query, duckdb_result *result);
void duckdb_destroy_result(duckdb_result *result);

enum { RESULT = 1 << 18, MOST = 1 << 10 };

static duckdb_connection connection;
static duckdb_result kept[MOST], last;

static void query(const char *text, duckdb_result *result)
{
	if (duckdb_query(connection, text, result) != 0)
		abort();
}

static const char rows[] = "select i, 'a name with some words and ' || i from range(4000) t(i)";

static APART void linked_result(duckdb_result *result)
{
	query(rows, result);
	MADE(result);
}

static APART void kept_result(duckdb_result *result)
{
	query(rows, result);
	MADE(result);
}

static APART void freed_result(duckdb_result *result)
{
	query(rows, result);
	MADE(result);
}

static void results(void)
{
	duckdb_database database;
	if (duckdb_open(NULL, &database) != 0 || duckdb_connect(database, &connection) != 0)
		abort();
	query("set threads = 1", NULL); /* all is allocated on this thread */
	for (size_t i = 0; i < trial_number(RESULT) && i < MOST; i++) {
		linked_result(&last);
		kept_result(&kept[i]);
		freed_result(&last);
		duckdb_destroy_result(&last);
	}
}

const struct trial_case trial_cases[] = {{"duckdb_result", results}, {0}};
