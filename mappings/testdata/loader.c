/*
 * Loads the libraries it is given, says where they came to lie as the dynamic linker knows it, and waits for the end of
 * its input. An argument is a path, with a prefix that says what is to be done with it:
 *   once:path    dlopen
 *   twice:path   dlopen, and dlmopen into a namespace of its own
 *   moved:path   dlopen, then move the middle of library_function to anonymous memory
 *   onto:path    dlopen, then move the whole segment of code onto a file of memory
 * Output: "bias <hex> <path>" per load, "function <hex> <path>" where library_function lies, "ready".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, dlerror());
	exit(1);
}

static int print_bias(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	printf("bias %lx %s\n", (unsigned long)info->dlpi_addr, info->dlpi_name);
	return 0;
}

static void print_load(void *handle, const char *path)
{
	struct link_map *map;
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		fail("dlinfo");
	printf("load %lx %s\n", (unsigned long)map->l_addr, path);
	printf("function %lx %s\n", (unsigned long)dlsym(handle, "library_function"), path);
}

static void move_text(void *handle)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char *from = (char *)(((uintptr_t)dlsym(handle, "library_function") + page - 1) & -page);
	size_t size = 4 * page;
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(copy, from, size);
	mprotect(copy, size, PROT_READ | PROT_EXEC);
	if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from)
		fail("mremap");
}

static int move_segment(struct dl_phdr_info *info, size_t size, void *bias)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	(void)size;
	for (int i = 0; info->dlpi_addr == *(ElfW(Addr) *)bias && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		char *from = (char *)((info->dlpi_addr + h->p_vaddr) & -page);
		size_t bytes = (info->dlpi_addr + h->p_vaddr + h->p_memsz - (uintptr_t)from + page - 1) & -page;
		int file = memfd_create("text", 0);
		if (write(file, from, bytes) != (ssize_t)bytes)
			fail("write");
		if (mmap(from, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) != from)
			fail("mmap");
	}
	return 0;
}

static void load(const char *task)
{
	const char *path = strchr(task, ':') + 1;
	void *handle = dlopen(path, RTLD_NOW);
	if (handle == NULL)
		fail("dlopen");
	print_load(handle, path);
	if (strncmp(task, "twice:", 6) == 0) {
		void *second = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
		if (second == NULL)
			fail("dlmopen");
		print_load(second, path);
	}
	if (strncmp(task, "moved:", 6) == 0)
		move_text(handle);
	if (strncmp(task, "onto:", 5) == 0) {
		struct link_map *map;
		if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
			fail("dlinfo");
		dl_iterate_phdr(move_segment, &map->l_addr);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		load(argv[i]);
	dl_iterate_phdr(print_bias, NULL);
	printf("main %lx\nready\n", (unsigned long)main);
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
