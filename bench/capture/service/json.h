#ifndef JSON_H
#define JSON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
// Parses a text and is the length of what is written of it; 0 if it is no JSON.
size_t json_round(const char *text, size_t length);

#endif
