/* Runs a case, its argument, in a program without Go, and has LeakSanitizer look for leaks while the case is at rest. */
#include "trial.h"

#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (const struct trial_case *c = trial_cases; argc == 3 && c->name; c++) {
		if (strcmp(c->name, argv[1]) == 0) {
			trial_bytes = strtoul(argv[2], NULL, 10);
			c->run();
			__lsan_do_recoverable_leak_check();
			_exit(0);
		}
	}
	fprintf(stderr, "usage: %s CASE BYTES\n", argv[0]);
	_exit(2);
}
