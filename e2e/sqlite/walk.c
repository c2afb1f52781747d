#include "walk.h"

#include <stddef.h>
#include <string.h>

/* As in sqlite3.h, which only go-sqlite3 has; the functions are linked into this program. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_value sqlite3_value;
extern int sqlite3_open(const char *name, sqlite3 **db);
extern int sqlite3_close(sqlite3 *db);
extern int sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *, char **error);
extern int sqlite3_create_function(sqlite3 *db, const char *name, int arguments, int encoding, void *data,
	void (*function)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context *, int, sqlite3_value **),
	void (*final)(sqlite3_context *));
extern void *sqlite3_user_data(sqlite3_context *context);
extern void sqlite3_result_int(sqlite3_context *context, int value);
extern int sqlite3_trace_v2(sqlite3 *db, unsigned mask, int (*trace)(unsigned, void *, void *, void *), void *data);
extern int sqlite3_create_collation(sqlite3 *db, const char *name, int encoding, void *data,
	int (*compare)(void *, int, const void *, int, const void *));
enum { SQLITE_UTF8 = 1, SQLITE_TRACE_STMT = 1 };

union walker {
	void (*walk)(void);
	void *data;
};

static void walk(void *data)
{
	union walker walker = {.data = data};
	walker.walk();
}

static int row(void *data, int columns, char **values, char **names)
{
	(void)columns, (void)values, (void)names;
	walk(data);
	return 0;
}

static void function(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	(void)count, (void)arguments;
	walk(sqlite3_user_data(context));
	sqlite3_result_int(context, 1);
}

static int trace(unsigned mask, void *data, void *statement, void *text)
{
	(void)mask, (void)statement, (void)text;
	walk(data);
	return 0;
}

static int compare(void *data, int a_length, const void *a, int b_length, const void *b)
{
	walk(data);
	int order = memcmp(a, b, (size_t)(a_length < b_length ? a_length : b_length));
	return order ? order : a_length - b_length;
}

static const char names[] =
	"with recursive n(i) as (select 1 union all select i + 1 from n where i < 50) select 'name ' || (i * 7 % 50) as name from n";

int walked_from_exec(void (*walk)(void))
{
	union walker walker = {.walk = walk};
	sqlite3 *db;
	int error = sqlite3_open(":memory:", &db);
	if (!error)
		error = sqlite3_exec(db, names, row, walker.data, NULL);
	sqlite3_close(db);
	return error;
}

int walked_from_function(void (*walk)(void))
{
	union walker walker = {.walk = walk};
	sqlite3 *db;
	int error = sqlite3_open(":memory:", &db);
	if (!error)
		error = sqlite3_create_function(db, "walk", 0, SQLITE_UTF8, walker.data, function, NULL, NULL);
	if (!error)
		error = sqlite3_exec(db, "select sum(walk()) from (select 1 union select 2) where walk() in (select walk())", NULL, NULL, NULL);
	sqlite3_close(db);
	return error;
}

int walked_from_trace(void (*walk)(void))
{
	union walker walker = {.walk = walk};
	sqlite3 *db;
	int error = sqlite3_open(":memory:", &db);
	if (!error)
		error = sqlite3_trace_v2(db, SQLITE_TRACE_STMT, trace, walker.data);
	if (!error)
		error = sqlite3_exec(db, "create table t(a); create trigger g after insert on t begin delete from t; end;"
			"insert into t values (1)", NULL, NULL, NULL);
	sqlite3_close(db);
	return error;
}

int walked_from_collation(void (*walk)(void))
{
	union walker walker = {.walk = walk};
	sqlite3 *db;
	int error = sqlite3_open(":memory:", &db);
	if (!error)
		error = sqlite3_create_collation(db, "walked", SQLITE_UTF8, walker.data, compare);
	if (!error)
		error = sqlite3_exec(db, "create table t(name text collate walked primary key);", NULL, NULL, NULL);
	if (!error)
		error = sqlite3_exec(db, "with recursive n(i) as (select 1 union all select i + 1 from n where i < 50) "
			"insert into t select 'name ' || (i * 7 % 50) from n; select name from t order by name || '.' collate walked",
			NULL, NULL, NULL);
	sqlite3_close(db);
	return error;
}
