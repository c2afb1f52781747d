// Package page is what a browser shows at /debug/cgoheap/: its files, the headers they are served with, and profiles as trees
// that are small enough to draw.
//
// The page is plain HTML, CSS and JavaScript modules, embedded as they are: nothing is built when the program is. It asks its own
// folder for the account, the suspects, the timeline and the stacks, and no other host for anything. All links are relative, so
// the folder may be mounted under any path.
//
// Names come from binaries, which may hold any bytes. The page writes them as text only, and the headers allow no script and no
// style but those of the folder.
//
// The trees are made of profile.proto as it is written, so every view, with its cuts and leaves, looks in the page as in other
// viewers, and a profile of another process can be shown as well.
package page
