//go:build ownfree || ownmunmap

/* One function of the program's own, in front of libc's: with the tag ownfree, free, and with ownmunmap, munmap. The linker
 * puts it in the place of the hook. */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef CORE_OWN_FREE

void __libc_free(void *p);

void free(void *p)
{
	__libc_free(p);
}

#else

int munmap(void *at, size_t length)
{
	return (int)syscall(SYS_munmap, at, length);
}

#endif
