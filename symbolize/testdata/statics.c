// Static variables of C, of which a compiler keeps those of functions apart by a number.
static void *table[64];

void *first(int i)
{
	static void *cache;
	static void *buffer[8];
	return buffer[i] = cache = table[i];
}

void *second(int i)
{
	static void *cache;
	static __thread void *mine;
	return mine = cache = table[i];
}

int main(int argc, char **argv)
{
	table[argc] = argv;
	return first(argc) != second(argc);
}
