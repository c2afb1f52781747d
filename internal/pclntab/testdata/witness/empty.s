// Without an assembly file in the package, the compiler refuses functions that have no body.
