package debugfile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// image is an ELF file that has nothing but sections.
type image map[string][]byte

func (im image) bytes() []byte {
	names := []string{".shstrtab"}
	for name := range im {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	var body, table bytes.Buffer
	text := []byte{0}
	write(&table, elf.Section64{})
	start := uint64(binary.Size(elf.Header64{}))
	for _, name := range names[1:] {
		write(&table, elf.Section64{
			Name: uint32(len(text)), Type: uint32(elf.SHT_PROGBITS), Off: start + uint64(body.Len()), Size: uint64(len(im[name])),
		})
		text = append(append(text, name...), 0)
		body.Write(im[name])
	}
	write(&table, elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: start + uint64(body.Len()), Size: uint64(len(text))})
	body.Write(text)
	var file bytes.Buffer
	write(&file, elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Ehsize: 64, Shoff: start + uint64(body.Len()), Shentsize: 64,
		Shnum: uint16(len(names) + 1), Shstrndx: uint16(len(names)),
	})
	return append(append(file.Bytes(), body.Bytes()...), table.Bytes()...)
}

func write(file *bytes.Buffer, data any) {
	if err := binary.Write(file, binary.LittleEndian, data); err != nil {
		panic(err)
	}
}

func (im image) open(tb testing.TB) *elffile.File {
	tb.Helper()
	data := im.bytes()
	file, err := elffile.New(bytes.NewReader(data), int64(len(data)), "image")
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

// save writes the image to a file and returns its checksum.
func (im image) save(tb testing.TB, path ...string) uint32 {
	tb.Helper()
	to := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(to, im.bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return crc32.ChecksumIEEE(im.bytes())
}

// note is the contents of .note.gnu.build-id.
func note(id string) []byte {
	desc, err := hex.DecodeString(id)
	if err != nil {
		panic(err)
	}
	head := binary.LittleEndian.AppendUint32(nil, 4)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(desc)))
	head = binary.LittleEndian.AppendUint32(head, 3)
	return append(append(head, "GNU\x00"...), desc...)
}

// debugLink is the contents of .gnu_debuglink.
func debugLink(name string, checksum uint32) []byte {
	link := append([]byte(name), make([]byte, 4-len(name)%4)...)
	return binary.LittleEndian.AppendUint32(link, checksum)
}

// debugFile is a separate debug file, with a build ID if it is given.
func debugFile(id string) image {
	im := image{".debug_info": []byte("entries"), ".symtab": make([]byte, 24)}
	if id != "" {
		im[".note.gnu.build-id"] = note(id)
	}
	return im
}
