// Package peek copies memory of this process that may not be mapped. The kernel copies it, so where a load would fault there is an
// error instead.
package peek
