/* Runs a program for which the kernel refuses the system calls that sandboxes often refuse, with the error REFUSAL. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(name)                                                                                                   \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | REFUSAL)

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	REFUSE(ptrace),
	REFUSE(process_vm_readv),
	REFUSE(process_vm_writev),
	REFUSE(kcmp),
	REFUSE(perf_event_open),
	REFUSE(bpf),
	REFUSE(userfaultfd),
	REFUSE(memfd_create),
	REFUSE(io_uring_setup),
	REFUSE(inotify_init1),
	REFUSE(signalfd4),
	REFUSE(socket),
	REFUSE(mount),
	REFUSE(unshare),
	REFUSE(setns),
	REFUSE(keyctl),
	REFUSE(personality),
	REFUSE(mlock),
	REFUSE(mlock2),
	REFUSE(setrlimit),
	REFUSE(uname),
	REFUSE(prctl),
	REFUSE(membarrier),
	REFUSE(rseq),
	REFUSE(getcwd),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

int main(int argc, char **argv)
{
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("sandbox");
		return 1;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
