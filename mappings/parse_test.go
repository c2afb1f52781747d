package mappings

import (
	"fmt"
	"strings"
	"testing"
)

// line writes a mapping the way the kernel does.
func line(m mapping) string {
	device := fmt.Sprintf("%02x:%02x", m.Device>>32&^0xfff|m.Device>>8&0xfff, m.Device>>12&0xffffff00|m.Device&0xff)
	text := fmt.Sprintf("%08x-%08x %s %08x %s %d ", uint64(m.Start), uint64(m.Limit), m.Perms, uint64(m.Offset), device,
		m.Inode)
	path := strings.ReplaceAll(m.Path, "\n", `\012`)
	if m.Deleted {
		path += deletedSuffix
	}
	if path == "" {
		return text + "\n"
	}
	return fmt.Sprintf("%-73s%s\n", text, path)
}

func TestParse(t *testing.T) {
	cases := map[string]struct {
		text string
		want mapping
	}{
		"a file": {
			"7fb6c7258000-7fb6c73ae000 r-xp 00026000 fe:01 326269                     /usr/lib/libc.so.6\n",
			mapping{0x7fb6c7258000, 0x7fb6c73ae000, "r-xp", 0x26000, 0xfe01, 326269, "/usr/lib/libc.so.6", false},
		},
		"anonymous code":        {"1000-2000 rwxp 00000000 00:00 0 \n", mapping{0x1000, 0x2000, "rwxp", 0, 0, 0, "", false}},
		"no padding, no end":    {"1000-2000 r-xp 0 0:0 0", mapping{0x1000, 0x2000, "r-xp", 0, 0, 0, "", false}},
		"a path with spaces":    {"1000-2000 r-xp 0 0:0 7   /a b  c \n", mapping{0x1000, 0x2000, "r-xp", 0, 0, 7, "/a b  c ", false}},
		"a path with a newline": {`1000-2000 r-xp 0 0:0 7 /a\012b`, mapping{0x1000, 0x2000, "r-xp", 0, 0, 7, "/a\nb", false}},
		"a path with a return":  {"1000-2000 r-xp 0 0:0 7 /a\r\n", mapping{0x1000, 0x2000, "r-xp", 0, 0, 7, "/a\r", false}},
		"a deleted file":        {"1000-2000 r-xp 0 0:0 7 /a (deleted)\n", mapping{0x1000, 0x2000, "r-xp", 0, 0, 7, "/a", true}},
		"a deleted (deleted)": {
			"1000-2000 r-xp 0 0:0 7 /a (deleted) (deleted)\n",
			mapping{0x1000, 0x2000, "r-xp", 0, 0, 7, "/a (deleted)", true},
		},
		"the vdso":       {"1000-2000 r-xp 0 00:00 0   [vdso]\n", mapping{0x1000, 0x2000, "r-xp", 0, 0, 0, "[vdso]", false}},
		"a large device": {"1000-2000 r-xp 0 1000:12345 7 /a\n", mapping{0x1000, 0x2000, "r-xp", 0, 0x100012300045, 7, "/a", false}},
		"the last page": {
			"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n",
			mapping{0xffffffffff600000, 0xffffffffff601000, "--xp", 0, 0, 0, "[vsyscall]", false},
		},
	}
	for name, c := range cases {
		t.Run(name+" is read as the kernel meant it", func(t *testing.T) {
			got, err := parseMaps(strings.NewReader(c.text))
			if err != nil || len(got) != 1 || got[0] != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	const good = "1000-2000 r-xp 0 0:0 0\n"
	for _, bad := range []string{
		"\n", "maps\n", "1000-2000\n", "1000 r-xp 0 0:0 0\n", "2000-1000 r-xp 0 0:0 0\n", "1000-1000 r-xp 0 0:0 0\n",
		"1000-x r-xp 0 0:0 0\n", "1000-2000 rx 0 0:0 0\n", "1000-2000 r-xp - 0:0 0\n", "1000-2000 r-xp 0 0 0\n",
		"1000-2000 r-xp 0 0:0 -1\n", "10000000000000000-20000000000000000 r-xp 0 0:0 0\n",
		"1000-2000 r-xp 0 0:0 0 /" + strings.Repeat("a", maxLine) + "\n",
	} {
		t.Run(fmt.Sprintf("%.40q is refused with its line number, and nothing is returned", bad), func(t *testing.T) {
			got, err := parseMaps(strings.NewReader(good + bad))
			if err == nil || got != nil || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("7fb6c7258000-7fb6c73ae000 r-xp 00026000 fe:00 326269                     /usr/lib/libc.so.6\n")
	f.Add("1000-2000 r-xp 0 0:0 7 /a\\012 (deleted)\n2000-3000 r--p 1000 0:0 0 \n")
	f.Add("1000-2000 r-xp 0 0:0 0 [vdso]\n")
	f.Fuzz(func(t *testing.T, text string) {
		mappings, err := parseMaps(strings.NewReader(text))
		if err != nil && mappings != nil {
			t.Fatal("an error and a result")
		}
		var again strings.Builder
		for _, m := range mappings {
			if m.Start >= m.Limit {
				t.Fatalf("empty range: %+v", m)
			}
			again.WriteString(line(m))
		}
		reread, err := parseMaps(strings.NewReader(again.String()))
		if err != nil || fmt.Sprint(reread) != fmt.Sprint(mappings) {
			t.Fatalf("%v: parse, write, parse of %q is not a fixed point:\n%+v\n%+v", err, text, mappings, reread)
		}
	})
}
