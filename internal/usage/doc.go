// Package usage reads how much memory the process takes, as the kernel counts it: its own resident memory, now and
// at its peak, and what its control group uses of its limit, which is what the OOM killer goes by in a container.
//
// Both kinds of control group are read, the unified one (memory.current, memory.max) and the older memory controller
// (memory.usage_in_bytes, memory.limit_in_bytes). A limit may be set on any group that encloses the process's own, so all
// are asked up to the root, and the one that is nearest to its limit counts. Formats: proc(5), and the kernel's
// Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
package usage
