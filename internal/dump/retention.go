package dump

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// abandoned is the age from which a temporary file is no longer being written.
const abandoned = time.Hour

// retention is which dumps of a program a directory keeps.
type retention struct {
	dir, program string
	keep         int   // how many; 0: all
	keepBytes    int64 // of this many bytes; 0: all
}

// A dumpFile is a dump of the program, made by any process of this user.
type dumpFile struct {
	name        string
	time        time.Time // from its name: the file's own time may be anything
	pid, number uint64
	bytes       int64
}

// newer orders dumps: the newest comes first. Every process orders them alike.
func newer(a, b dumpFile) int {
	return cmp.Or(b.time.Compare(a.time), cmp.Compare(b.pid, a.pid), cmp.Compare(b.number, a.number))
}

// clear removes the oldest dumps of the program beyond the bounds, but not the one just written, and the temporary files of
// processes that were killed.
func (d *retention) clear(written string) error {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	var made []dumpFile
	var failed error
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !isOwn(info) { // it may have been removed meanwhile
			continue
		}
		if dump, ok := parseDump(d.program, info.Name()); ok {
			dump.bytes = info.Size() + d.besideBytes(info.Name())
			made = append(made, dump)
		} else if isTemporary(info.Name()) && time.Since(info.ModTime()) > abandoned {
			failed = errors.Join(failed, d.remove(info.Name()))
		}
	}
	for _, dump := range d.tooMany(made, written, time.Now()) {
		failed = errors.Join(failed, d.remove(dump.name), d.remove(besideOf(dump.name)))
	}
	return failed
}

// besideBytes returns the size of the file that belongs to a dump, if there is one.
func (d *retention) besideBytes(name string) int64 {
	info, err := os.Lstat(filepath.Join(d.dir, besideOf(name)))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// remove removes a file that another process may be removing, too.
func (d *retention) remove(name string) error { return removeIfThere(filepath.Join(d.dir, name)) }

// tooMany returns the dumps to remove. It keeps the one just written and as many of the newest others as the bounds allow. A
// dump newer than the one just written comes from another process and stays, unless its name has a time in the future.
func (d *retention) tooMany(made []dumpFile, written string, now time.Time) (remove []dumpFile) {
	own := slices.IndexFunc(made, func(f dumpFile) bool { return f.name == written })
	if own < 0 { // another process removed it
		return nil
	}
	last := made[own]
	others := slices.Delete(slices.Clone(made), own, own+1)
	slices.SortFunc(others, newer)
	count, bytes, full := 1, last.bytes, false
	for _, f := range others {
		count++
		bytes += f.bytes
		full = full || d.keep > 0 && count > d.keep || d.keepBytes > 0 && bytes > d.keepBytes
		if full && (newer(last, f) < 0 || f.time.After(now)) {
			remove = append(remove, f)
		}
	}
	return remove
}

// parseDump parses a name that a dump of the program has: PROGRAM.PID.TIME.NUMBER.cgoheap.pb.gz. Other names are not dumps.
func parseDump(program, name string) (f dumpFile, ok bool) {
	rest, ours := strings.CutPrefix(name, program+".")
	rest, dump := strings.CutSuffix(rest, dumpSuffix)
	parts := strings.Split(rest, ".")
	if !ours || !dump || len(parts) != 3 {
		return f, false
	}
	pid, isPID := parseNumber(parts[0], 31)
	when, err := time.Parse(dumpTime, parts[1])
	number, isNumber := parseNumber(parts[2], 64)
	return dumpFile{name: name, time: when, pid: pid, number: number}, isPID && err == nil && isNumber
}

// parseNumber parses a positive number in canonical form.
func parseNumber(text string, bits int) (n uint64, ok bool) {
	n, err := strconv.ParseUint(text, 10, bits)
	return n, err == nil && n > 0 && strconv.FormatUint(n, 10) == text
}

// isTemporary reports whether os.CreateTemp made the name from tempPattern.
func isTemporary(name string) bool {
	before, after, _ := strings.Cut(tempPattern, "*")
	random, ours := strings.CutPrefix(name, before)
	random, temporary := strings.CutSuffix(random, after)
	_, err := strconv.ParseUint(random, 10, 64)
	return ours && temporary && err == nil
}
