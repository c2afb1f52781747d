// Without an assembly file in the package, the compiler refuses the functions that have no body.
