//go:build rss

#include "script.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

static int failed(lua_State *L, int code) {
	if (code)
		fprintf(stderr, "%s\n", lua_tostring(L, -1));
	return code ? -1 : 0;
}

void *script_load(const char *text) {
	lua_State *L = luaL_newstate();
	if (!L)
		return NULL;
	luaL_openlibs(L);
	return failed(L, luaL_dostring(L, text)) ? NULL : L;
}

int script_round(void *state) {
	lua_State *L = state;
	lua_getglobal(L, "work");
	return failed(L, lua_pcall(L, 0, 0, 0));
}
