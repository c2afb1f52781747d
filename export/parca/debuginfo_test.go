package parca_test

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/standin"
	"github.com/cgoheap/cgoheap/export/parca"
)

// debugFile is a small ELF file that has a build ID and some content.
func debugFile(t *testing.T, buildID string, content int) []byte {
	t.Helper()
	id, err := hex.DecodeString(buildID)
	if err != nil {
		t.Fatal(err)
	}
	var note bytes.Buffer
	for _, v := range []any{uint32(4), uint32(len(id)), uint32(3), []byte("GNU\x00"), id} {
		_ = binary.Write(&note, binary.LittleEndian, v) // memory takes it
	}
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64,
	}
	program := elf.Prog64{Type: uint32(elf.PT_NOTE), Off: 120, Filesz: uint64(note.Len()), Memsz: uint64(note.Len()), Align: 4}
	var file bytes.Buffer
	for _, v := range []any{header, program, note.Bytes(), bytes.Repeat([]byte("debug "), content/6)} {
		_ = binary.Write(&file, binary.LittleEndian, v)
	}
	return file.Bytes()
}

// store is the part of Parca's debug file service that the uploader uses.
type store struct {
	t        *testing.T
	url      string // where a file is PUT, if not by gRPC
	unwanted bool

	mu    sync.Mutex
	calls []string
	file  []byte
}

func (s *store) answer(_ int, w http.ResponseWriter, r *http.Request) { s.handle(w, r, nil) }

// handle answers by the method's name. Messages are written field by field.
func (s *store) handle(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := path.Base(r.URL.Path)
	if name != "WriteRaw" {
		s.calls = append(s.calls, r.Method+" "+name)
	}
	switch name {
	case "ShouldInitiateUpload":
		if s.unwanted {
			standin.GRPC(w, nil)
			return
		}
		standin.GRPC(w, number(nil, 1, 1))
	case "InitiateUpload":
		how := text(text(nil, 1, standin.Unnamed.BuildID), 2, "upload-1")
		if s.url == "" {
			how = number(how, 3, 1)
		} else {
			how = text(number(how, 3, 2), 4, s.url)
		}
		standin.GRPC(w, text(nil, 1, string(how)))
	case "file":
		s.file = body
	default:
		standin.GRPC(w, nil)
	}
}

func number(message []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(message, field, protowire.VarintType), value)
}

func text(message []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(message, field, protowire.BytesType), value)
}

func (s *store) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, ", ")
}

// request is the message of the first call of a method.
func request(t *testing.T, server *standin.Server, name string) (messages [][]byte) {
	t.Helper()
	for _, c := range server.Calls() {
		if path.Base(c.Path) == name {
			return standin.Frames(t, c.Body)
		}
	}
	t.Fatalf("no call of %s", name)
	return nil
}

// startWithFile starts an exporter of a profile with a module without names, for which dir has a debug file.
func startWithFile(t *testing.T, address string, file []byte) *export.Exporter {
	t.Helper()
	dir := t.TempDir()
	id := standin.Unnamed.BuildID
	name := filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, &standin.Profiler{}, parca.Config{
		Address: address, BearerToken: "secret", UploadDebuginfo: true, DebugDirs: []string{dir}, MaxDebuginfoBytes: 1 << 20,
	})
}

func TestDebugFileIsUploadedOnce(t *testing.T) {
	s := &store{t: t}
	server := standin.Serve(t, s.answer)
	file := debugFile(t, standin.Unnamed.BuildID, 700_000) // three pieces
	e := startWithFile(t, server.URL, file)
	await(t, "an upload", func() bool { return e.Stats().Value("debuginfo_uploaded") > 0 })
	pushed := e.Stats().Value("export_pushed")
	await(t, "five profiles more", func() bool { return e.Stats().Value("export_pushed") > pushed+5 })
	if want := "POST ShouldInitiateUpload, POST InitiateUpload, POST Upload, POST MarkUploadFinished"; s.seen() != want {
		t.Errorf("calls: %s", s.seen())
	}
	should := standin.Decode(t, request(t, server, "ShouldInitiateUpload")[0])
	if should.Text(1) != standin.Unnamed.BuildID || should.Number(5) != 1 {
		t.Errorf("ShouldInitiateUpload: %v", should)
	}
	sum := sha256.Sum256(file)
	initiate := standin.Decode(t, request(t, server, "InitiateUpload")[0])
	if initiate.Text(1) != standin.Unnamed.BuildID || initiate.Number(2) != uint64(len(file)) ||
		initiate.Text(3) != hex.EncodeToString(sum[:]) || initiate.Number(6) != 1 {
		t.Errorf("InitiateUpload: %v", initiate)
	}
	pieces := request(t, server, "Upload")
	info := standin.Decode(t, pieces[0]).Messages(t, 1)[0]
	if info.Text(1) != standin.Unnamed.BuildID || info.Text(2) != "upload-1" {
		t.Errorf("UploadInfo: %v", info)
	}
	var got []byte
	for _, p := range pieces[1:] {
		got = append(got, standin.Decode(t, p).Text(2)...)
	}
	if !bytes.Equal(got, file) || len(pieces) != 4 {
		t.Errorf("%d bytes in %d messages, want %d", len(got), len(pieces), len(file))
	}
	mark := standin.Decode(t, request(t, server, "MarkUploadFinished")[0])
	if mark.Text(1) != standin.Unnamed.BuildID || mark.Text(2) != "upload-1" {
		t.Errorf("MarkUploadFinished: %v", mark)
	}
}

func TestDebugFileIsPutToASignedURL(t *testing.T) {
	s := &store{t: t}
	server := standin.Serve(t, s.answer)
	var bucket *standin.Server
	bucket = standin.Serve(t, func(n int, w http.ResponseWriter, r *http.Request) { s.handle(w, r, bucket.Calls()[n].Body) })
	s.url = bucket.URL + "/file?signature=abc"
	file := debugFile(t, standin.Unnamed.BuildID, 100_000)
	e := startWithFile(t, server.URL, file)
	await(t, "an upload", func() bool { return e.Stats().Value("debuginfo_uploaded") > 0 })
	if want := "POST ShouldInitiateUpload, POST InitiateUpload, PUT file, POST MarkUploadFinished"; s.seen() != want {
		t.Errorf("calls: %s", s.seen())
	}
	if !bytes.Equal(s.file, file) || bucket.Calls()[0].Header.Get("Authorization") != "" {
		t.Errorf("%d bytes with %v", len(s.file), bucket.Calls()[0].Header)
	}
}

func TestDebugFilesThatAreNotUploaded(t *testing.T) {
	for about, c := range map[string]struct {
		file     []byte
		unwanted bool
		counter  string
		reason   string
		calls    string
	}{
		"of another build ID":   {debugFile(t, "ffff", 10), false, "debuginfo_missing", `has the build ID "ffff"`, ""},
		"that is too large":     {debugFile(t, standin.Unnamed.BuildID, 2<<20), false, "debuginfo_missing", "more than the 1048576", ""},
		"that is no ELF file":   {[]byte("hello"), false, "debuginfo_missing", "not an ELF file", ""},
		"that Parca has by now": {debugFile(t, standin.Unnamed.BuildID, 10), true, "debuginfo_known", "", "POST ShouldInitiateUpload"},
	} {
		t.Run(about, func(t *testing.T) {
			s := &store{t: t, unwanted: c.unwanted}
			server := standin.Serve(t, s.answer)
			e := startWithFile(t, server.URL, c.file)
			await(t, c.counter, func() bool { return e.Stats().Value(c.counter) > 0 })
			pushed := e.Stats().Value("export_pushed")
			await(t, "three profiles more", func() bool { return e.Stats().Value("export_pushed") > pushed+3 })
			if s.seen() != c.calls || e.Stats().Value(c.counter) != 1 || !strings.Contains(e.Stats().String(), c.reason) {
				t.Errorf("calls %q\n%s", s.seen(), e.Stats())
			}
		})
	}
}

func TestNothingIsUploadedUnlessAskedFor(t *testing.T) {
	s := &store{t: t}
	server := standin.Serve(t, s.answer)
	e := start(t, &standin.Profiler{}, parca.Config{Address: server.URL})
	await(t, "three profiles", func() bool { return e.Stats().Value("export_pushed") > 3 })
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	uploads := slices.ContainsFunc(e.Stats(), func(c cgoheap.Counter) bool { return strings.HasPrefix(c.Name, "debuginfo_") })
	if uploads || s.seen() != "" {
		t.Errorf("it has counters of uploads: %t; calls: %q", uploads, s.seen())
	}
}
