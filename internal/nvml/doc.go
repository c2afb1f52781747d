// Package nvml asks NVIDIA's driver how much memory of a card the process has, and how much all processes have.
//
// It asks by NVML, a library that comes with the driver. NVML is opened when it is first asked, never linked, and never in a process that
// does not use a card: one that has not loaded CUDA's driver library and made it ready. NVML counts cards in another order than CUDA, which
// a variable can change for each process, so a card is found by its address on the bus. A driver that has lost a card may not answer for
// ever: nobody waits for longer than a second for each card, and it is asked about no card again before it has answered.
//
// Deliberately absent: nvmlShutdown, because the program may use NVML itself, and AMD's cards.
package nvml
