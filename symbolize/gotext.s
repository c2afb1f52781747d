// Without an assembly file in the package, the compiler refuses gotext.go's functions that have no body.
