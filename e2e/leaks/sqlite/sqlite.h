/* What is used of sqlite3.h, which only go-sqlite3 has. */
struct sqlite3;
struct sqlite3_stmt;

enum { SQLITE_CONFIG_LOOKASIDE = 13 };

int sqlite3_config(int option, ...);
int sqlite3_open(const char *path, struct sqlite3 **db);
int sqlite3_exec(struct sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *arg, char **error);
int sqlite3_prepare_v2(struct sqlite3 *db, const char *sql, int bytes, struct sqlite3_stmt **statement, const char **tail);
int sqlite3_step(struct sqlite3_stmt *statement);
int sqlite3_finalize(struct sqlite3_stmt *statement);

void without_own_block(void);
struct sqlite3 *linked_connection_of_go(void);
struct sqlite3 *kept_connection_of_go(void);
