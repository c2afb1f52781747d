// What the command that started the program wants of this process.
#ifndef PRELOAD_SETTINGS_H
#define PRELOAD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

// The variable. Its value is "parent=PID space=INODE sample=BYTES tables=BYTES segment=NUMBER:TOKEN settle=0 children=NAMES go=LAYOUT boxes=DIR":
// decimal numbers, but for TOKEN, which is hexadecimal, and 0 if there is no segment; INODE is 0 if it is not known; NAMES are "none", "all", or names of programs with commas between them; LAYOUT is "none" or hexadecimal
// numbers with commas between them, see settings_go; DIR, an absolute path, is all of the rest.
#define SETTINGS_VARIABLE "CGOHEAP_RUN"

// A file in DIR by which the command says that it is gone, and boxes are to stay.
#define SETTINGS_WANTED "wanted"

struct settings {
	uint64_t parent;       // the process number of the command
	uint64_t space;        // the inode of the command's PID namespace: elsewhere, process numbers mean others
	uint64_t sample_bytes; // mean bytes between samples; 1 records everything
	uint64_t table_bytes;  // size of the box
	int segment;           // the number of the segment that the command has made for the tables of the program
	uint64_t token;        // that the segment has; 0 for none
	uint64_t settle;       // 1: a thread settles the tables each second
	char children[1024];
	char go[512];
	char boxes[1024];      // the directory of boxes
};

// Returns the value of a variable in an environment, or in the process's own if that is NULL; NULL if it is not there.
const char *settings_value(const char *variable, char **environment);

// Reads the variable from an environment, or from the process's own if that is NULL. False if it is not there or not of this form.
bool settings_read(struct settings *s, char **environment);

// Where a Go program calls C, in the addresses of its file: pairs are first bytes and limits.
struct settings_go {
	uint64_t device, inode; // of the file
	uint64_t m;             // the offset of the pointer to the m in a g
	uint64_t text[2], asmcgocall[2], crosscall2[2], mstart[2];
};

// False if there is no layout.
bool settings_go(const struct settings *s, struct settings_go *go);

// Whether this process is in the command's PID namespace, as far as that is known.
bool settings_here(const struct settings *s);

// Whether children of the program that run this program, a name without its folder, are to be recorded.
bool settings_follow(const struct settings *s, const char *program);

#endif
