#include "decode.h"
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) char *inflate_block(int n)
{
	char *out = malloc(256 << 10);
	memset(out, n, 8 << 10);
	return out;
}
static __attribute__((noinline)) int *parse_points(const char *block, int n)
{
	int *points = calloc(1000, sizeof *points);
	points[n % 1000] = block[n % 4096];
	return points;
}
static __attribute__((noinline)) int decode_frame(int n)
{
	char *block = inflate_block(n);
	int *points = parse_points(block, n);
	int sum = points[n % 1000];
	free(points);
	free(block);
	return sum;
}
int decode_batch(int n)
{
	int sum = 0;
	for (int i = 0; i < 60; i++)
		sum += decode_frame((n + i) & 0x7fffffff);
	return sum;
}
