#include "victim.h"

void victim_crash(void)
{
	int *volatile nowhere = (int *)8;
	*nowhere = 1;
}
