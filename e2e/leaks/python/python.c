//go:build leaks

/* Objects of CPython with one reference too many. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "trial.h"

enum { BYTES = 1000, ELEMENTS = 100, LIST = ELEMENTS * sizeof(void *) };

static PyObject *list_of(PyObject *element)
{
	PyObject *list = PyList_New(ELEMENTS);
	for (Py_ssize_t i = 0; list && i < ELEMENTS; i++) {
		Py_INCREF(element);
		PyList_SET_ITEM(list, i, element);
	}
	if (!list)
		abort();
	return list;
}

static APART PyObject *lost_bytes(void) { return MADE(PyBytes_FromStringAndSize(NULL, BYTES)); }
static APART PyObject *kept_bytes(void) { return MADE(PyBytes_FromStringAndSize(NULL, BYTES)); }
static APART PyObject *freed_bytes(void) { return MADE(PyBytes_FromStringAndSize(NULL, BYTES)); }
static APART PyObject *linked_list(void) { return MADE(list_of(Py_None)); }
static APART PyObject *kept_list(void) { return MADE(list_of(Py_None)); }

static PyObject *kept_in(const char *name)
{
	PyObject *list = PyList_New(0);
	PyObject_SetAttrString(PyImport_AddModule("__main__"), name, list);
	return list;
}

/* What a list takes is given to it without a reference of ours. */
static void append(PyObject *list, PyObject *object)
{
	PyList_Append(list, object);
	Py_DECREF(object);
}

static void begin(void)
{
	Py_InitializeEx(0);
}

static void references(void)
{
	begin();
	PyObject *kept = kept_in("kept");
	for (size_t i = 0; i < trial_number(BYTES); i++) {
		PyObject *object = lost_bytes();
		Py_INCREF(object); /* the error */
		Py_DECREF(object);
		append(kept, kept_bytes());
		Py_DECREF(freed_bytes());
	}
	PyEval_SaveThread();
	trial_held("kept_bytes", "block allocated in ");
}

/* CPython's own collector links all containers, also those that the program has lost. */
static void containers(void)
{
	begin();
	PyObject *kept = kept_in("kept");
	for (size_t i = 0; i < trial_number(LIST); i++) {
		PyObject *list = linked_list();
		Py_INCREF(list); /* the error */
		Py_DECREF(list);
		append(kept, kept_list());
	}
	PyEval_SaveThread();
}

static APART PyObject *linked_array(void) { return MADE(PyByteArray_FromStringAndSize(NULL, BYTES)); }
static APART PyObject *lost_array(void) { return MADE(PyByteArray_FromStringAndSize(NULL, BYTES)); }
static APART PyObject *kept_array(void) { return MADE(PyByteArray_FromStringAndSize(NULL, BYTES)); }

static void arrays(PyObject *(*lose)(void))
{
	begin();
	PyObject *kept = kept_in("kept");
	for (size_t i = 0; i < trial_number(BYTES); i++) {
		PyObject *array = lose();
		Py_INCREF(array); /* the error */
		Py_DECREF(array);
		append(kept, kept_array());
	}
	PyEval_SaveThread();
}

/* The object that points to the bytes is small, and lies in a pool of CPython's, which is mapped memory. */
static void pool(void)
{
	arrays(linked_array);
	trial_told("linked_array", "reachable from ");
	trial_told("kept_array", "reachable from ");
}

/* Without pools it is a block, too. */
static void pool_of_malloc(void)
{
	setenv("PYTHONMALLOC", "malloc", 1);
	arrays(lost_array);
	trial_held("kept_array", "block allocated in ");
}

const struct trial_case trial_cases[] = {{"cpython_reference", references}, {"cpython_container", containers}, {"cpython_pool", pool},
	{"cpython_pool_of_malloc", pool_of_malloc}, {0}};
