// Checks what a program that is built for --wrap reports: the argument is the expected refusal.
#include "../../real.h"
#include "check.h"

int main(int count, char **arguments)
{
	const char *object = "";
	check(count == 2 && real_resolve(NULL));
	check((int)real_refusal(&object) == atoi(arguments[1]) && object == NULL);
	printf("ok  refusal %s\n", arguments[1]);
}
