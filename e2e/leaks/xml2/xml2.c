//go:build leaks

/* Documents of libxml2. */
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum { DOCUMENT = 1 << 18, MOST = 1 << 12, ROOM = 1 << 16 };

static xmlDoc *kept[MOST], *volatile last;
static char text[ROOM];

static xmlDoc *parsed(void)
{
	xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NONET);
	if (!doc)
		abort();
	return doc;
}

static APART xmlDoc *lost_document(void) { return MADE(parsed()); }
static APART xmlDoc *kept_document(void) { return MADE(parsed()); }
static APART xmlDoc *freed_document(void) { return MADE(parsed()); }

static void write_text(void)
{
	char *at = text + sprintf(text, "<records>");
	for (int i = 0; i < 400; i++)
		at += sprintf(at, "<record id='%d'><name>a name with some words in it</name><value>%d</value></record>", i, 7 * i);
	strcpy(at, "</records>");
}

static void documents(void)
{
	xmlInitParser();
	write_text();
	for (size_t i = 0; i < trial_number(DOCUMENT) && i < MOST; i++) {
		last = lost_document();
		kept[i] = kept_document();
		xmlFreeDoc(freed_document());
	}
	last = NULL;
	trial_reads(kept);
	trial_held("kept_document", "global kept|block allocated in ");
}

const struct trial_case trial_cases[] = {{"libxml2_document", documents}, {0}};
