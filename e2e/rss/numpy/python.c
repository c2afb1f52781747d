//go:build rss

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python.h"

static PyObject *work;

// It leaves the interpreter's lock free.
int python_begin(const char *script) {
	Py_InitializeEx(0);
	PyObject *module = PyImport_AddModule("__main__");
	int failed = PyRun_SimpleString(script);
	if (!failed)
		work = PyObject_GetAttrString(module, "work");
	PyEval_SaveThread();
	return work ? 0 : -1;
}

int python_round(int thread) {
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *result = PyObject_CallFunction(work, "i", thread);
	if (!result)
		PyErr_Print();
	Py_XDECREF(result);
	PyGILState_Release(state);
	return result ? 0 : -1;
}
