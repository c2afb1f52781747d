/* The header in a program without cgoheap, in C and in C++: its calls do nothing. */
#include "cgoheap.h"

int main(void)
{
	char block[10];
	cgoheap_pool(block);
	cgoheap_allocated(block, sizeof block, "nothing");
	cgoheap_allocated(0, 0, 0);
	cgoheap_freed(block);
	return cgoheap_record_allocated || cgoheap_record_freed || cgoheap_record_pool;
}
