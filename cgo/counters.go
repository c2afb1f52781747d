package cgo

// Counter is one of the shim's counters: its short name, and what it means to a person. Loss marks those that say that
// something is missing from the profile.
type Counter struct {
	Name, Sentence string
	Loss           bool
}

// Counters lists them in the order of enum counter in region.h, with those of enum end in walk.h in their midst.
var Counters = [...]Counter{
	{"samples", "blocks that were sampled; their sizes are those that the program asked for, without what the allocator adds", false},
	{"frees", "sampled blocks that were freed", false},
	{"stacks", "different stacks", false},
	{"sites", "different stacks and block sizes", false},
	{"live", "sampled blocks in use", false},
	{"stacks_complete", "stacks walked to the entry of their thread or goroutine", false},
	{"stacks_cut_depth", "stacks with more frames than are kept; the outermost are missing", true},
	{"stacks_cut_no_module", "stacks that end in code of a library that was not known yet", true},
	{"stacks_cut_no_unwind_data", "stacks that end in code without unwind data, whose frame pointer leads nowhere", true},
	{"stacks_cut_inexpressible", "stacks that end in code whose unwind data no row can express", true},
	{"stacks_cut_no_frame_pointer", "stacks that end where a frame pointer was needed and had not been saved", true},
	{"stacks_cut_unreadable", "stacks that end because the next frame could not be read", true},
	{"stacks_cut_backwards", "stacks that end because the next frame was not above the last", true},
	{"stacks_cut_no_join", "stacks that end at the call from Go, because this Go runtime was not recognised", true},
	{"stacks_cut_go_frame", "stacks that end in a Go frame that leads nowhere", true},
	{"stacks_cut_stopped", "stacks that were not walked because the recording ended", true},
	{"stacks_cut_no_file", "stacks that end in code of no loaded file, such as code made at run time that keeps no frame pointer", true},
	{"lost_stack_table_full", "samples dropped because the tables had no room for their stack", true},
	{"lost_site_table_full", "samples dropped because the tables had no room for their site", true},
	{"lost_live_table_full", "sampled blocks counted as allocated but not as in use, because the tables were full", true},
	{"sizes_mixed", "samples whose stack has too many block sizes to keep them apart; their weights are right", false},
	{"snapshots_unsettled", "snapshots that are older than asked for, because a thread was stopped while recording", true},
	{"module_wakes", "times that a sample found that libraries had come or gone, and asked for a look at the loaded files", false},
	{"peak_inexact", "moments that may have been a peak and were passed over, because a thread was stopped while counting", true},
	{"lost_lifetime_table_full", "freed blocks whose lifetime was not kept, because the tables were full", true},
	{"label_sets", "different sets of labels", false},
	{"lost_labels", "samples without their labels, because there were too many sets of labels or the tables were full", true},
	{"labels_cut", "labels that were too long, and were cut or left out", true},
	{"frees_unseen", "blocks that were called in use until their address was allocated again, because they were freed past the hooks", true},
	{"lost_gate_full", "events that were not recorded, because too many threads were stopped while recording: allocations of sampled blocks, and frees of what may be one", true},
	{"lost_carry", "sums of what was allocated or freed that are too small by 2^48 blocks or 2^60 bytes, because more sums outgrew 64 bits than can be kept", true},
	{"frees_lost", "sampled blocks whose free was among those events: they count as in use until their address is allocated or freed again", true},
	{"freed_in_use", "sampled blocks that were freed and count as in use now, because their free was not recorded", true},
}
