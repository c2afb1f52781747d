// Demo shows what a profile of native memory is good for. It builds the service of the folder above, drives it with
// requests to all of its handlers, sends it SIGUSR2, and prints what the dumped profile says: how much memory there is
// that Go knows nothing of, which handlers hold it, and the stacks from malloc's caller through C and C++ to the handler.
//
// It leaves the profile and a flame graph of it in the folder that -out names, removes everything else, and fails if the
// profile does not convict the two handlers that leak and acquit the others.
//
// One file per step: service (build, start, signal, stop), traffic (requests), owner (who holds what), stacks (along
// which calls), report (print), picture (draw), verdict (check).
package main
