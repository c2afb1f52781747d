#define _GNU_SOURCE
#include "fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t arrived, held, ready, go;
static bool expected;
static int (*real)(pthread_t, pthread_attr_t *);
static pid_t forking;
static int listener; // or minus an errno

static void await(sem_t *s)
{
	while (sem_wait(s) != 0)
		;
}

void answered(void)
{
	sem_post(&arrived);
}

void wake_by_signal(void)
{
	raise(SIGUSR2);
}

// Instead of libc's, which allocates. Go asks for a thread of C's that calls Go, when it has taken an M for that thread.
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
	if (__atomic_exchange_n(&expected, false, __ATOMIC_ACQ_REL)) {
		sem_post(&arrived);
		await(&held);
	}
	if (real == NULL)
		real = (int (*)(pthread_t, pthread_attr_t *))dlsym(RTLD_NEXT, "pthread_getattr_np");
	return real(thread, attributes);
}

// From now on the kernel holds this thread in clone until a word is sent to the listener.
static int listen_to_clone(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	return fd < 0 ? -errno : (int)fd;
}

static void *fork_once(void *nothing)
{
	forking = syscall(SYS_gettid);
	listener = listen_to_clone();
	sem_post(&ready);
	await(&go);
	pid_t child = listener < 0 ? -1 : fork();
	if (child == 0)
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
	return nothing;
}

// Lets the thread go on in clone, again and again: a signal interrupts clone, which then begins anew.
static int let_go_on(void)
{
	struct pollfd clones = {.fd = listener, .events = POLLIN};
	struct seccomp_notif in_clone;
	for (;;) {
		if (poll(&clones, 1, -1) < 0 && errno != EINTR)
			return errno;
		if ((clones.revents & POLLIN) == 0)
			return 0; // it has ended
		memset(&in_clone, 0, sizeof in_clone);
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in_clone) != 0)
			continue; // interrupted since
		struct seccomp_notif_resp go_on = {.id = in_clone.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &go_on);
	}
}

// glibc's fork has locked the allocator when it calls clone, and unlocks it afterwards.
static int signal_in_fork(void)
{
	struct pollfd clones = {.fd = listener, .events = POLLIN};
	while (poll(&clones, 1, -1) < 0)
		if (errno != EINTR)
			return errno;
	sem_post(&held);
	syscall(SYS_tgkill, getpid(), forking, SIGCHLD);
	return let_go_on();
}

int fork_amid(void (*wake)(void))
{
	pthread_t thread;
	sem_init(&arrived, 0, 0), sem_init(&held, 0, 0), sem_init(&ready, 0, 0), sem_init(&go, 0, 0);
	int failed = pthread_create(&thread, NULL, fork_once, NULL);
	if (failed != 0)
		return failed;
	await(&ready);
	if (listener >= 0) {
		__atomic_store_n(&expected, true, __ATOMIC_RELEASE);
		wake();
		await(&arrived);
		__atomic_store_n(&expected, false, __ATOMIC_RELEASE);
	}
	sem_post(&go);
	failed = listener < 0 ? -listener : signal_in_fork();
	pthread_join(thread, NULL);
	return failed;
}
