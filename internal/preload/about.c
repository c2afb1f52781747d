//go:build ignore

#define _GNU_SOURCE
#include "about.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "modules.h"
#include "region.h"

void about_escape(char *to, size_t room, const char *text)
{
	for (; *text != 0 && room > sizeof "\\u0000"; text++) {
		unsigned char c = (unsigned char)*text;
		int n = snprintf(to, room, c < ' ' || c == '"' || c == '\\' ? "\\u%04x" : "%c", c);
		to += n;
		room -= (size_t)n;
	}
	*to = 0;
}

// The kernel's boot_id; "" if it cannot be read.
static void read_boot(char *boot, size_t room)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, boot, room - 1);
	if (fd >= 0)
		close(fd);
	boot[n > 0 ? n : 0] = 0;
	boot[strcspn(boot, "\n")] = 0;
}

void about_describe(const char *program)
{
	static char files[32 << 10], text[sizeof files + 4096];
	char boot[64], host[65] = "", named[2048];
	read_boot(boot, sizeof boot);
	(void)gethostname(host, sizeof host - 1);
	about_escape(named, sizeof named, program);
	modules_describe(files, sizeof files);
	int size = snprintf(text, sizeof text, "{\"Program\":\"%s\",\"Host\":\"%s\",\"Process\":%d,\"Boot\":\"%s\",\"Files\":%s}", named, host,
			    (int)getpid(), boot, files);
	uint64_t at = size < (int)sizeof text ? region_reserve((uint64_t)size) : 0;
	if (at == 0)
		return;
	memcpy(region_at(at), text, (size_t)size);
	cgoheap_region->about_size = (uint64_t)size;
	cgoheap_region->about = at;
}
