/* A library whose function local has no name once it is stripped. */

static __attribute__((noinline, noclone)) int local(int n)
{
	volatile int kept = n;
	return kept * 3;
}

int entry(int n)
{
	return local(n) + 1;
}
