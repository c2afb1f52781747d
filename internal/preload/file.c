//go:build ignore

#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char path[PATH_MAX];

static bool name_file(const char *directory, const char *program)
{
	char host[65] = "";
	struct timespec now;
	if (gethostname(host, sizeof host - 1) != 0 || host[0] == 0 || strchr(host, '/') != NULL)
		strcpy(host, "localhost");
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	int length = snprintf(path, sizeof path, "%s/cgoheap.%.100s.%s.%d.%lx.box", directory, program, host, (int)getpid(), (unsigned long)time);
	return length > 0 && length < (int)sizeof path;
}

// Beyond RLIMIT_FSIZE the kernel sends a signal, which ends programs. It is taken before the program can get it.
static int grow(int fd, uint64_t size)
{
	const struct timespec at_once = {0, 0};
	sigset_t signal, before;
	sigemptyset(&signal);
	sigaddset(&signal, SIGXFSZ);
	if (sigprocmask(SIG_BLOCK, &signal, &before) != 0)
		return errno;
	int failed = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
	if (failed == EFBIG && sigismember(&before, SIGXFSZ) == 0)
		(void)sigtimedwait(&signal, NULL, &at_once);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failed;
}

static int map(struct region_file *file, int fd, uint64_t size)
{
	struct flock whole = {.l_type = F_WRLCK};
	struct stat s;
	if (fstat(fd, &s) != 0 || fcntl(fd, F_OFD_SETLK, &whole) != 0)
		return errno;
	int failed = grow(fd, size);
	if (failed != 0)
		return failed;
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (pages == MAP_FAILED)
		return errno;
	*file = (struct region_file){(uintptr_t)pages, path, s.st_dev, s.st_ino};
	return 0;
}

int file_make(struct region_file *file, const char *directory, const char *program, uint64_t size)
{
	if (!name_file(directory, program))
		return ENAMETOOLONG;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	int failed = map(file, fd, size);
	close(fd);
	if (failed != 0)
		unlink(path);
	return failed;
}

void file_remove(const struct region_file *file)
{
	struct stat s;
	if (file->path != NULL && lstat(file->path, &s) == 0 && s.st_dev == file->device && s.st_ino == file->inode)
		unlink(file->path);
}
