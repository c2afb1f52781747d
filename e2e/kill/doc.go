// Command kill kills a service at random instants, and recovers what it had recorded from its black box.
//
// The service is this program once more. It allocates on several threads in C, writes profiles, stops its recording and starts another, over and
// over. Meanwhile it keeps the truth in a file of its own, per call site: objects that it is about to allocate or free, counted before each
// call, and those that it has, counted after. At a random instant the kernel kills it. What the box has must lie between:
//
//	has allocated          ≤  allocated  ≤  was about to allocate
//	has allocated − was about to free  ≤  in use  ≤  was about to allocate − has freed
//
// and so must its bytes; the profile must have no fault, and each sample the stack of a site. While the recording starts and stops this holds
// as well, only then there need be no box, and one that was made and has no header yet is reported as such (remote.ErrNotBegun). Before a
// start and after a stop there must be no box.
//
// -at chooses the instants, and the default is all of them, -n kills each:
//
//	any    whenever it is
//	start  while the recording starts
//	stop   while it stops
//	dump   while a profile is written, one upon SIGUSR2 too; a profile that has its name by then must be whole
//	two    whenever it is, of two services with one directory, of which one goes on when the other is recovered
//
// -dir says where the boxes lie: tmpfs and ext4 are both worth a try.
package main
