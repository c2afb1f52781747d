package flight

import (
	"strconv"
)

// Timeline is records as JSON, for a program that draws them: the columns once, then a row of numbers for each record. The
// first column is the time, in milliseconds since 1970. What is not known is null; of a second, also what was not read in it: some
// figures are read up to a minute apart.
type Timeline struct {
	Columns []Column `json:"columns"`
	Seconds []Row    `json:"seconds"` // one each second, of the last hour
	Minutes []Row    `json:"minutes"` // of each minute of the last three days that is over, the second with the most resident memory
}

// Column describes a column of a Timeline.
type Column struct {
	Name     string `json:"name"`
	Unit     string `json:"unit,omitempty"`
	Sentence string `json:"sentence"`
}

// Row has a number for each column.
type Row []int64

// MarshalJSON implements json.Marshaler.
func (r Row) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, n := range r {
		if i > 0 {
			text = append(text, ',')
		}
		if n == Unknown {
			text = append(text, "null"...)
		} else {
			text = strconv.AppendInt(text, n, 10)
		}
	}
	return append(text, ']'), nil
}

// NewTimeline returns records as a Timeline.
func NewTimeline(seconds, minutes []Record) *Timeline {
	t := &Timeline{Columns: []Column{{"time", "milliseconds", "since 1970-01-01 UTC"}}, Seconds: rowsOf(seconds, true), Minutes: rowsOf(minutes, false)}
	for _, f := range fields {
		t.Columns = append(t.Columns, Column(f))
	}
	return t
}

func rowsOf(records []Record, fresh bool) []Row {
	rows := make([]Row, len(records))
	for i := range records {
		row := make(Row, 1, 1+Fields)
		row[0] = records[i].Time.UnixMilli()
		row = append(row, records[i].Values[:]...)
		for f := range Fields {
			if fresh && records[i].IsOld(f) {
				row[1+f] = Unknown
			}
		}
		rows[i] = row
	}
	return rows
}
