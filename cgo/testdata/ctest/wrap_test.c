// What a program that is built for --wrap says of itself: the argument is the refusal that it must have.
#include "../../real.h"
#include "check.h"

int main(int count, char **arguments)
{
	const char *object = "";
	check(count == 2 && real_resolve());
	check((int)real_refusal(&object) == atoi(arguments[1]) && object == NULL);
	printf("ok  refusal %s\n", arguments[1]);
}
