#ifndef JSON_H
#define JSON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
// Parses a text, writes it again, and returns the length of the result; 0 if it is not JSON.
size_t json_round(const char *text, size_t length);

#endif
