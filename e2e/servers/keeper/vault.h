#ifndef VAULT_H
#define VAULT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* vault_keep allocates one block of that many bytes and never frees it. */
void vault_keep(size_t bytes);

/* vault_lend allocates one block of that many bytes, writes to it, and frees it. */
void vault_lend(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
