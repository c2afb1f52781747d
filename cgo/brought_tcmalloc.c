// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define FAMILY_NAME(f) FAMILY_JOIN(tc_, f)
#define FAMILY_ROWS FAMILY_TCMALLOC

#include "brought.h"
