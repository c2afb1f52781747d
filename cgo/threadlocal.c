//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "threadlocal.h"

#include <link.h>
#include <pthread.h>

#include "headers.h"
#include "machine.h"

struct listing {
	struct threadlocal *list;
	size_t max, count;
	struct headers headers;
};

static int list_object(struct dl_phdr_info *object, size_t size, void *listing)
{
	struct listing *l = listing;
	const ElfW(Phdr) *h;
	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof object->dlpi_tls_data || object->dlpi_tls_modid == 0)
		return 0;
	for (int i = 0; (h = header_read(&l->headers, object, i)) != NULL; i++) {
		if (h->p_type != PT_TLS || h->p_memsz == 0)
			continue;
		if (l->count < l->max)
			l->list[l->count] = (struct threadlocal){object->dlpi_addr, object->dlpi_tls_modid,
								 (uintptr_t)object->dlpi_tls_data, h->p_memsz};
		l->count++;
		break;
	}
	return 0;
}

size_t threadlocal_list(struct threadlocal *list, size_t max, struct threadlocal_here *here)
{
	struct copy copy = {0};
	struct listing l = {.list = list, .max = max, .headers = {.memory = {.copy = &copy}}};
	*here = (struct threadlocal_here){(uintptr_t)pthread_self(), thread_pointer()};
	dl_iterate_phdr(list_object, &l);
	memory_end(&l.headers.memory);
	return l.count;
}
