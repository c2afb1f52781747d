#include "shop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row { struct row *next; char text[200]; };
struct result { struct row *rows; int count; };

static __attribute__((noinline)) struct row *row_new(struct row *next, int n)
{
	struct row *r = malloc(sizeof *r);
	r->next = next;
	snprintf(r->text, sizeof r->text, "row %d", n);
	return r;
}

static __attribute__((noinline)) struct result *query_run(int n, int rows)
{
	struct result *result = calloc(1, sizeof *result);
	for (int i = 0; i < rows; i++) {
		result->rows = row_new(result->rows, n + i);
		result->count++;
	}
	return result;
}

static __attribute__((noinline)) void result_free(struct result *result)
{
	while (result->rows) {
		struct row *next = result->rows->next;
		free(result->rows);
		result->rows = next;
	}
	free(result);
}

int shop_search(int n)
{
	struct result *result = query_run(n, 400);
	int count = result->count;
	result_free(result);
	return count;
}

int shop_stock(int n)
{
	struct result *result = query_run(n, 120);
	int count = result->count;
	result_free(result);
	return count;
}

/* sessions: a ring of the last 3000, each of 2 KiB */
static char *sessions[3000];
static __attribute__((noinline)) char *session_open(int n)
{
	char *s = malloc(2048);
	snprintf(s, 2048, "session %d", n);
	return s;
}
int shop_login(int n)
{
	static int at;
	int i = __atomic_fetch_add(&at, 1, __ATOMIC_RELAXED) % 3000;
	char *old = __atomic_exchange_n(&sessions[i], session_open(n), __ATOMIC_ACQ_REL);
	free(old);
	return n & 1;
}

int shop_checkout(int n)
{
	char *basket = malloc(8192);
	memset(basket, n, 8192);
	int sum = basket[n & 8191];
	free(basket);
	return sum;
}

/* invoices: the font of the page is never freed if the invoice has a logo */
struct font { char *name; char *glyphs; };
struct page { struct font *font; char *canvas; };

static __attribute__((noinline)) struct font *font_load(const char *name)
{
	struct font *f = malloc(sizeof *f);
	f->name = strdup(name);
	f->glyphs = malloc(3400);
	memset(f->glyphs, 1, 3400);
	return f;
}
static __attribute__((noinline)) void font_close(struct font *f)
{
	free(f->glyphs);
	free(f->name);
	free(f);
}
static __attribute__((noinline)) struct page *page_layout(int n)
{
	struct page *p = malloc(sizeof *p);
	p->font = font_load("DejaVu Sans");
	p->canvas = malloc(60000);
	memset(p->canvas, n, 60000);
	return p;
}
static __attribute__((noinline)) int invoice_render(int n)
{
	struct page *p = page_layout(n);
	int ink = p->canvas[n % 60000];
	if (n & 1)
		font_close(p->font);
	free(p->canvas);
	free(p);
	return ink;
}
int shop_invoice(int n) { return invoice_render(n); }
