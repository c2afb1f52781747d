/* Connections that only the kernel knows, by what epoll keeps with each descriptor; some are closed, and their blocks forgotten. */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "trial.h"

enum { SIZE = 8000, MOST = 400 }; /* a process may have few descriptors */

static APART void *kept_by_epoll(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_by_epoll(void) { return COUNTED(malloc(SIZE), SIZE); }

static APART int watch(int poller, void *connection)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
	int descriptor = eventfd(0, EFD_CLOEXEC);
	if (descriptor < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event))
		abort();
	return descriptor;
}

void watched(void)
{
	int poller = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < trial_number(SIZE) && i < MOST; i++) {
		watch(poller, kept_by_epoll());
		close(watch(poller, lost_by_epoll()));
	}
	trial_held("kept_by_epoll", "epoll, with a descriptor that is watched");
}
