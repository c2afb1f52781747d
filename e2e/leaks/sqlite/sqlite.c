/* Connections of SQLite that nobody closed, and statements that nobody finalized. SQLite puts a number in front of each block, so
 * no pointer points to the begin of one. */
#include <stdio.h>
#include <stdlib.h>

#include "sqlite.h"
#include "trial.h"

enum { CONNECTION = 1 << 18, STATEMENT = 1 << 12, MOST = 1 << 13 };

static struct sqlite3 *kept[MOST], *volatile last;
static struct sqlite3_stmt *statements[MOST], *volatile last_statement;

static struct sqlite3 *filled(void)
{
	struct sqlite3 *db = NULL;
	char *error = NULL;
	if (sqlite3_open(":memory:", &db) != 0 ||
	    sqlite3_exec(db, "create table t (i integer primary key, s text); with recursive n(i) as (select 1 union all select i + 1 from n "
			     "where i < 2000) insert into t select i, 'name ' || (i * 7919) || hex(randomblob(30)) from n",
			 NULL, NULL, &error) != 0) {
		fprintf(stderr, "SQLite: %s\n", error ? error : "no connection");
		abort();
	}
	return db;
}

static APART struct sqlite3_stmt *prepared(struct sqlite3 *db)
{
	struct sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(db, "select s, count(*) from t where i between ? and ? group by 1 order by 2 desc, 1", -1, &statement, NULL) != 0)
		abort();
	sqlite3_step(statement);
	return statement;
}

static APART struct sqlite3 *linked_connection(void) { return MADE(filled()); }
static APART struct sqlite3 *lost_connection(void) { return MADE(filled()); }
static APART struct sqlite3 *kept_connection(void) { return MADE(filled()); }
APART struct sqlite3 *linked_connection_of_go(void) { return MADE(filled()); }
APART struct sqlite3 *kept_connection_of_go(void) { return MADE(filled()); }

static APART struct sqlite3_stmt *kept_statement(struct sqlite3 *db) { return MADE(prepared(db)); }
static APART struct sqlite3_stmt *linked_statement(struct sqlite3 *db) { return MADE(prepared(db)); }
static APART struct sqlite3_stmt *freed_statement(struct sqlite3 *db) { return MADE(prepared(db)); }

/* A connection has a block of its own for small objects. Of those that were freed there, the words remain, and some point to
 * blocks that now belong to other connections. So whoever holds one connection holds many. Pages that are not filled yet have
 * such words too, so the connections that are lost come last. */
void without_own_block(void)
{
	if (sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != 0)
		abort();
}

static void connections(void)
{
	without_own_block();
	for (size_t i = 0; i < trial_number(CONNECTION) && i < MOST; i++)
		kept[i] = kept_connection();
	for (size_t i = 0; i < trial_number(CONNECTION) && i < MOST; i++)
		last = lost_connection();
	last = NULL;
	trial_reads(kept);
	trial_held("kept_connection", "global kept|block allocated in ");
}

static void connections_with_own_block(void)
{
	for (size_t i = 0; i < trial_number(CONNECTION) && i < MOST; i++) {
		last = linked_connection();
		kept[i] = kept_connection();
	}
	last = NULL;
	trial_reads(kept);
}

/* A connection has a list of its statements. So those that the program has lost are held by it. */
static void sql_statements(void)
{
	kept[0] = filled();
	for (size_t i = 0; i < trial_number(STATEMENT) && i < MOST; i++) {
		last_statement = linked_statement(kept[0]);
		statements[i] = kept_statement(kept[0]);
		sqlite3_finalize(freed_statement(kept[0]));
	}
	last_statement = NULL;
	trial_reads(statements);
	trial_held("kept_statement", "global statements|block allocated in ");
}

const struct trial_case trial_cases[] = {{"sqlite_connection", connections}, {"sqlite_lookaside", connections_with_own_block},
					  {"sqlite_statement", sql_statements}, {0}};
