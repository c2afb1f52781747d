/* With the tag several: functions of mimalloc's that copy or store, in an object file of their own, which call others through the
 * linker. They stand before the library's, as if it were linked in several object files. */
#ifdef CORE_SEVERAL

#include <errno.h>
#include <mimalloc.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *text, size_t size)
{
	void *p = mi_malloc(size);
	return p == NULL ? NULL : memcpy(p, text, size);
}

char *mi_strdup(const char *text)
{
	return copy_of(text, strlen(text) + 1);
}

char *mi_strndup(const char *text, size_t most)
{
	size_t size = strnlen(text, most);
	char *p = mi_malloc(size + 1);
	if (p == NULL)
		return NULL;
	p[size] = 0;
	return memcpy(p, text, size);
}

unsigned char *mi_mbsdup(const unsigned char *text)
{
	return (unsigned char *)mi_strdup((const char *)text);
}

unsigned short *mi_wcsdup(const unsigned short *text)
{
	size_t count = 1;
	while (text[count - 1] != 0)
		count++;
	return copy_of(text, count * sizeof *text);
}

int mi_dupenv_s(char **to, size_t *size, const char *name)
{
	(void)size;
	*to = mi_strdup(getenv(name));
	return *to == NULL ? ENOMEM : 0;
}

int mi_posix_memalign(void **to, size_t alignment, size_t size)
{
	*to = mi_malloc_aligned(size, alignment);
	return *to == NULL ? ENOMEM : 0;
}

#endif
