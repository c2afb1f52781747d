package remote

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// The box of a living process is copied while all its threads record. What is consistent in the copy is what the process has settled: of
// each site the sums up to one moment, which do not change until it settles again. The header counts these times, and the count is odd
// during one. So a copy is of one moment if the count is even and the same before and after it; otherwise another copy is made.
//
//	settles     … 6        7       8                                8
//	process       │ records │ sums │ records …                      │
//	reader                          └─ before ─► first ─► again ─► after: equal
//
// Records are made, filled and only then referred to. But a reader meets them in another order: it may have come past the place of a
// record before that was made, and then to a reference to it; and the list of a stack's sites begins with the newest, behind which are
// those that have settled sums. So all that was zero at the first reading is read again. By then each record is there that anything in
// the first reading refers to. What is newer still has no settled sum.
//
// The flight recorder's notes are not only added: the oldest are overwritten, each behind its number. They are read once, so that what was
// caught midway keeps the number 0. What has another number after the copy may be half of it, and is left out, too.
//
// The table of live blocks and the sites at the peak are not settled. They are left out, and so is the view of either.

// ErrUnsettled reports a box whose process lives, and has never settled its tables.
var ErrUnsettled = errors.New("its process, which lives unless somebody else has the box locked, has not settled its tables yet, so no copy of them is of one moment: wait a second; cgoheap run has " +
	"them settled with -settle only; cgoheap dump PID reads any, with the rights of a debugger")

// errUnsteady reports that every copy was cut through by a settle.
var errUnsteady = errors.New("its process lives, and has settled its tables during each copy of them: try again when the machine is less busy")

// ReadLiving reads the recording in the file of a black box whose process lives, as of the last time that it has settled its tables:
// report.InUse, report.Allocated, report.ShortLived and report.Device. It asks nothing of the process, and needs no permission but to
// read the file.
func ReadLiving(file *os.File) (*Recording, error) {
	r := &Recording{Living: true}
	err := r.copySettled(file)
	if err == nil {
		r.started = started(r.region)
		r.Time = r.wall(r.region.Load64(layout.HeaderSettledClock))
		err = r.know()
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return r, nil
}

const (
	copyTries  = 100
	pauseAfter = 20 * time.Millisecond // a copy that was cut through
)

func (r *Recording) copySettled(file *os.File) error {
	for range copyTries {
		head, err := headOf(file)
		if err != nil {
			return err
		}
		before := head.Load64(layout.HeaderSettles)
		if before == 0 {
			return ErrUnsettled
		}
		if before%2 == 0 {
			flown := flightIn(head)
			r.region, r.unmap, err = copyChanging(file, int64(head.Load64(layout.HeaderSize)), levelsIn(head), flown)
			if err == nil {
				err = dropChanged(r.region, file, flown)
			}
			if err != nil {
				return err
			}
			if head, err = headOf(file); err != nil || head.Load64(layout.HeaderSettles) == before {
				return err
			}
			r.Close()
		}
		time.Sleep(pauseAfter)
	}
	return errUnsteady
}

// headOf returns the header of a box that is whole.
func headOf(file *os.File) (tables.Region, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := beginsBox(file, info.Size()); errors.Is(err, ErrNotBegun) {
		return nil, errors.New("nothing is recorded in it: its process has not begun to record, or does not any more")
	} else if err != nil {
		return nil, err
	}
	head := make(tables.Region, layout.SizeofHeader)
	if _, err = file.ReadAt(head, 0); err == nil {
		_, err = usedBytes(head)
	}
	return head, err
}

// levelsIn returns where the table of live blocks lies.
func levelsIn(head tables.Region) (list []part) {
	size := head.Load64(layout.HeaderSize)
	for level := range uint64(layout.Levels) {
		if at := head.Load64(layout.HeaderLevels + 8*level); at > 0 && at < size {
			list = append(list, part{int64(at), int64(min(size, at+(layout.LevelBuckets<<level)*layout.SizeofBucket))})
		}
	}
	return list
}

// flightIn returns where the flight recorder's notes lie; an empty part if there are none, or of another size.
func flightIn(head tables.Region) (p part) {
	at, size := head.Load64(layout.HeaderFlight), head.Load64(layout.HeaderSize)
	if bytes := head.Load64(layout.HeaderFlightSize); bytes == uint64(flight.Size) && at < size && size-at >= bytes {
		p = part{int64(at), int64(at + bytes)}
	}
	return p
}

// dropChanged leaves out of a copy those notes of the flight recorder that the file has no longer.
func dropChanged(region tables.Region, file *os.File, flown part) error {
	notes := notesIn(region)
	if notes == nil || flown.start == flown.limit {
		return nil
	}
	later := make([]byte, flight.Size)
	if _, err := file.ReadAt(later, flown.start); err != nil {
		return err
	}
	if now := flight.Open(later); now != nil {
		notes.DropChanged(now)
	}
	return nil
}

// part is a part of a file.
type part struct{ start, limit int64 }
