//go:build rss

#include "documents.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>

enum { THREADS = 4, KEPT = 3 };

// Each thread keeps its last documents.
static xmlDoc *kept[THREADS][KEPT];

void documents_prepare(void) { xmlInitParser(); }

static xmlDoc *write_tree(int records) {
	xmlDoc *doc = xmlNewDoc(BAD_CAST "1.0");
	xmlNode *root = xmlNewNode(NULL, BAD_CAST "records");
	xmlDocSetRootElement(doc, root);
	for (int i = 0; i < records; i++) {
		char number[32];
		snprintf(number, sizeof number, "%d", i);
		xmlNode *record = xmlNewChild(root, NULL, BAD_CAST "record", NULL);
		xmlNewProp(record, BAD_CAST "id", BAD_CAST number);
		xmlNewChild(record, NULL, BAD_CAST "name", BAD_CAST "a name with some words in it");
		xmlNewChild(record, NULL, BAD_CAST "value", BAD_CAST number);
	}
	return doc;
}

static int search(xmlDoc *doc) {
	xmlXPathContext *context = xmlXPathNewContext(doc);
	xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST "//record[value mod 7 = 3]/name", context);
	int number = found && found->nodesetval ? found->nodesetval->nodeNr : 0;
	xmlXPathFreeObject(found);
	xmlXPathFreeContext(context);
	return number;
}

int documents_round(int thread) {
	static __thread int round;
	xmlDoc *made = write_tree(2000 + round % 5 * 200);
	xmlChar *text = NULL;
	int size = 0;
	xmlDocDumpMemory(made, &text, &size);
	xmlFreeDoc(made);
	xmlDoc *parsed = text ? xmlReadMemory((char *)text, size, NULL, NULL, XML_PARSE_NONET) : NULL;
	xmlFree(text);
	xmlDoc **place = &kept[thread][round++ % KEPT];
	xmlFreeDoc(*place);
	*place = parsed;
	return parsed && search(parsed) > 0 ? 0 : -1;
}
