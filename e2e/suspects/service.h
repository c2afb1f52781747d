#include <stddef.h>

void cache_put(size_t size);
void session_open(unsigned slot, size_t size);
void handle_request(size_t blocks, size_t size);
void format_user(size_t size);
