//go:build rss

#include "script.h"

static int evaluate(JSContextRef context, const char *text) {
	JSStringRef source = JSStringCreateWithUTF8CString(text);
	JSValueRef exception = NULL;
	JSEvaluateScript(context, source, NULL, NULL, 1, &exception);
	JSStringRelease(source);
	return exception ? -1 : 0;
}

JSGlobalContextRef script_load(const char *text) {
	JSGlobalContextRef context = JSGlobalContextCreate(NULL);
	return evaluate(context, text) ? NULL : context;
}

int script_round(JSGlobalContextRef context) { return evaluate(context, "work()"); }
