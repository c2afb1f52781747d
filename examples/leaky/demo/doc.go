// Demo shows what a profile of native memory is good for. It builds the service of the folder above, sends requests to all
// of its handlers, and prints what its RSS consists of: the account, and a profile of RSS by handler. It then sends the service
// SIGUSR2 and prints the dumped profile: which handlers hold malloc's memory, and the stacks from malloc's caller through C and
// C++ to the handler.
//
// It leaves both profiles and a flame graph of RSS in the folder that -out names, removes everything else, and fails if the
// profiles do not convict the three handlers that leak and acquit the others.
//
// One file per step: service (build, start, signal, stop), traffic (requests), resident (what RSS is), owner (who holds what),
// stacks (along which calls), report (print), picture (draw), verdict (check).
package main
