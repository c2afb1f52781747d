/* C: static functions, inlined calls several deep, a recursion, a computed jump. */
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; char text[24]; };

static struct node *head;

static inline __attribute__((always_inline)) void *grab(size_t size) {
	void *block = malloc(size);
	if (!block)
		abort();
	return block;
}

static inline __attribute__((always_inline)) struct node *make(const char *text) {
	struct node *n = grab(sizeof *n);
	strncpy(n->text, text, sizeof n->text - 1);
	return n;
}

static inline void push(const char *text) { struct node *n = make(text); n->next = head; head = n; }

static __attribute__((noinline)) int measure(const struct node *n) {
	return n ? 1 + measure(n->next) + (int)strlen(n->text) : 0;
}

__attribute__((noinline, cold)) void give_up(int code) { exit(code); }

int classify(int code) {
	switch (code) {
	case 0: push("zero"); break;
	case 1: push("one"); push("uno"); break;
	case 2: return measure(head);
	case 3: free(head); head = 0; break;
	case 9: give_up(code);
	default: push("many");
	}
	return code;
}

int main(int argc, char **argv) {
	for (int i = 0; i < argc; i++)
		push(argv[i]);
	return classify(argc) + measure(head);
}
