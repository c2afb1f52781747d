package layering

import "testing"

const module = "github.com/cgoheap/cgoheap"

// pkg is what the plan allows a package.
type pkg struct {
	layer int  // it imports packages of lower layers only
	c     bool // it may import "C"
}

// Two kinds of package are outside the layers.
const (
	testOnly = -1  // only tests import it
	top      = 100 // it may import any layer: the examples
)

var plan = map[string]pkg{
	".":                    {layer: 8},
	"auto":                 {layer: 9},
	"leaktest":             {layer: 6},
	"nativebench":          {layer: 9},
	"internal/recovery":    {layer: 7},
	"internal/flight":      {layer: 1},
	"internal/suspects":    {layer: 1},
	"internal/dump":        {layer: 6},
	"internal/serve":       {layer: 7},
	"internal/blackbox":    {layer: 1},
	"internal/report":      {layer: 5},
	"internal/page":        {layer: 1},
	"internal/guilty":      {layer: 2},
	"internal/plain":       {layer: 0},
	"internal/message":     {layer: 1},
	"internal/descriptor":  {layer: 0},
	"internal/holders":     {layer: 4},
	"pprof":                {layer: 4},
	"export":               {layer: 4},
	"alloc":                {layer: 3},
	"internal/goheap":      {layer: 3},
	"symbolize":            {layer: 3},
	"cgo":                  {layer: 2, c: true},
	"mappings":             {layer: 2},
	"allocators/cuda":      {layer: 3, c: true},
	"allocators/duckdb":    {layer: 3, c: true},
	"allocators/jemalloc":  {layer: 3, c: true},
	"allocators/rust":      {layer: 3, c: true},
	"allocators/mimalloc":  {layer: 3, c: true},
	"allocators/tcmalloc":  {layer: 3, c: true},
	"internal/unwind":      {layer: 2},
	"stack":                {layer: 0},
	"internal/check":       {layer: 1},
	"cmd/cgoheap":          {layer: 8},
	"internal/layout":      {layer: 0},
	"internal/preload":     {layer: 3},
	"internal/remote":      {layer: 6},
	"internal/scratch":     {layer: 0},
	"internal/tables":      {layer: 1},
	"internal/testonly":    {layer: 0},
	"internal/background":  {layer: 0},
	"internal/kept":        {layer: 0},
	"internal/self":        {layer: 0},
	"internal/terminal":    {layer: 1},
	"internal/peek":        {layer: 0},
	"internal/gospans":     {layer: 1},
	"internal/elffile":     {layer: 1},
	"internal/usage":       {layer: 1},
	"internal/account":     {layer: 2},
	"internal/malloc":      {layer: 3, c: true},
	"internal/nvml":        {layer: 1, c: true},
	"internal/twin":        {layer: 4, c: true},
	"internal/reach":       {layer: 5},
	"internal/pclntab":     {layer: 2},
	"internal/dwarf":       {layer: 1},
	"internal/debugfile":   {layer: 2},
	"internal/xz":          {layer: 1},
	"internal/victim":      {layer: testOnly, c: true},
	"internal/toolchain":   {layer: testOnly},
	"internal/profiletest": {layer: testOnly},
	"internal/goparts":     {layer: testOnly, c: true},
	"internal/systemtest":  {layer: testOnly},
	"internal/layering":    {layer: testOnly},
}

func TestPackagesKeepToTheirLayers(t *testing.T) {
	for _, fault := range inspect("../..") {
		t.Error(fault)
	}
}
