package floorplan

import "testing"

const module = "github.com/cgoheap/cgoheap"

// room is what the plan says of a folder.
type room struct {
	floor int  // it imports rooms of lower floors only
	c     bool // it may import "C"
}

// Two kinds of folder lie beside the house: nothing but a test imports them.
const (
	annex = -1
	roof  = 100
)

var plan = map[string]room{
	".":                  {floor: 6},
	"auto":               {floor: 7},
	"report":             {floor: 5},
	"pprof":              {floor: 4},
	"export":             {floor: 4},
	"alloc":              {floor: 3},
	"goheap":             {floor: 3},
	"symbolize":          {floor: 3},
	"cgo":                {floor: 2, c: true},
	"mappings":           {floor: 2},
	"unwind":             {floor: 2},
	"stack":              {floor: 1},
	"check":              {floor: 1},
	"cmd/cgoheap-check":  {floor: 6},
	"internal/scratch":   {floor: 0},
	"internal/errand":    {floor: 0},
	"internal/self":      {floor: 0},
	"internal/elffile":   {floor: 1},
	"internal/usage":     {floor: 1},
	"internal/pclntab":   {floor: 2},
	"internal/dwarf":     {floor: 1},
	"internal/debugfile": {floor: 2},
	"internal/xz":        {floor: 1},
	"internal/victim":    {floor: annex, c: true},
	"internal/toolchain": {floor: annex},
	"internal/floorplan": {floor: annex},
}

func TestHouseIsBuiltToPlan(t *testing.T) {
	for _, fault := range inspect("../..") {
		t.Error(fault)
	}
}
