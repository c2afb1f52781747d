package unwind

import (
	"bufio"
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// The second road to every row is readelf's output. Its interpreted dump has a table per FDE, with a cell for each register
// that the FDE names; its raw dump has the expressions that the table shows only as "exp".

// readelfRow is a range of code, and readelf's cells for it.
type readelfRow struct {
	from, to        uint64
	cfa, sp, fp, ra string
	signal          bool
	record, cie     string // the offsets of the FDE and of its CIE, as readelf writes them
}

// dump is readelf's output for a file. expressions has, by record, every line of the raw dump that holds one.
type dump struct {
	names
	rows        []readelfRow
	expressions map[string][]string
}

func readelf(t testing.TB, c toolchain.Toolchain, file string) dump {
	t.Helper()
	d := dump{names: namesOf[c.Machine], expressions: make(map[string][]string)}
	tables := tables{names: d.names, cies: make(map[string]readelfRow)}
	lines(t, c, file, "frames-interp", tables.line)
	tables.close()
	d.rows = tables.rows
	slices.SortStableFunc(d.rows, func(a, b readelfRow) int { return int(a.from) - int(b.from) })
	record := ""
	lines(t, c, file, "frames", func(line string) {
		if fields := strings.Fields(line); len(fields) > 3 && !strings.HasPrefix(line, " ") {
			record = fields[0]
		}
		if strings.Contains(line, "expression") || strings.Contains(line, "DW_CFA_undefined") {
			d.expressions[record] = append(d.expressions[record], strings.TrimSpace(line))
		}
	})
	return d
}

func lines(t testing.TB, c toolchain.Toolchain, file, what string, line func(string)) {
	t.Helper()
	out, err := exec.Command(c.Tool(t, "readelf"), "--debug-dump="+what, file).Output()
	if err != nil && len(out) == 0 { // it also fails for a debug file that is not installed, when all has been said
		t.Fatalf("readelf --debug-dump=%s %s: %v", what, file, err)
	}
	scanner := bufio.NewScanner(bytes.NewReader(out))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line(scanner.Text())
	}
}

// tables reads the interpreted dump line by line.
type tables struct {
	names
	rows    []readelfRow
	cies    map[string]readelfRow // the initial row of a CIE's FDEs
	columns []string
	now     readelfRow // the row that is open: it ends where the next one starts
	isCIE   bool
	end     uint64
}

// alias is the second name of a register, in cells such as "r2 (rcx)".
var alias = regexp.MustCompile(` \(r\w+\)`)

func (r *tables) line(line string) {
	fields := strings.Fields(alias.ReplaceAllString(line, ""))
	switch {
	case len(fields) > 3 && fields[3] == "CIE":
		r.close()
		r.isCIE = true
		r.now = readelfRow{record: fields[0], cfa: "u", sp: "u", fp: "u", ra: "u"}
		r.now.signal = strings.Contains(fields[4], "S")
	case len(fields) > 3 && fields[3] == "FDE":
		r.close()
		r.open(fields)
	case len(fields) > 0 && fields[0] == "LOC":
		r.columns = fields
	case len(fields) == len(r.columns) && len(fields) > 1 && fields[1] != "ZERO":
		r.row(fields)
	}
}

func (r *tables) open(fields []string) {
	r.isCIE = false
	cie := strings.TrimPrefix(fields[4], "cie=")
	r.now = r.cies[cie]
	r.now.record, r.now.cie = fields[0], cie
	from, to, _ := strings.Cut(strings.TrimPrefix(fields[5], "pc="), "..")
	r.now.from, r.end = hexadecimal(from), hexadecimal(to)
}

func (r *tables) row(fields []string) {
	if !r.isCIE {
		r.now.to = hexadecimal(fields[0])
		r.keep()
		r.now.from = r.now.to
	}
	for i, column := range r.columns {
		switch column {
		case "CFA":
			r.now.cfa = fields[i]
		case r.sp:
			r.now.sp = fields[i]
		case r.fp:
			r.now.fp = fields[i]
		case "ra":
			r.now.ra = fields[i]
		}
	}
}

func (r *tables) keep() {
	if r.now.from < r.now.to {
		r.rows = append(r.rows, r.now)
	}
}

// close ends the record that is open.
func (r *tables) close() {
	if r.isCIE {
		r.cies[r.now.record] = r.now
	} else {
		r.now.to = r.end
		r.keep()
	}
	r.columns, r.now, r.end = nil, readelfRow{}, 0
}

func hexadecimal(s string) uint64 {
	n, _ := strconv.ParseUint(s, 16, 64)
	return n
}
