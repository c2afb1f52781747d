package symbolize

import "debug/dwarf"

// debugData is the DWARF of one file.
type debugData struct {
	data  *dwarf.Data
	units []unitHeader
	line  []byte // .debug_line, for checkLineHeader
}

// sections gives the contents of a section, decompressed; nil if the file has none of that name.
type sections func(name string) ([]byte, error)

// readDebugData opens the DWARF of a file; nil if it has none.
func readDebugData(section sections) (*debugData, error) {
	contents := make(map[string][]byte)
	for _, name := range []string{"abbrev", "info", "line", "ranges", "str", "addr", "line_str", "str_offsets", "rnglists"} {
		bytes, err := section(".debug_" + name)
		if err != nil {
			return nil, err
		}
		contents[name] = bytes
	}
	if len(contents["info"]) == 0 {
		return nil, nil
	}
	units, abbrevs, err := readUnitHeaders(contents["info"])
	if err != nil {
		return nil, err
	}
	if err := checkAbbrevs(contents["abbrev"], abbrevs); err != nil {
		return nil, err
	}
	if err := checkStrings(contents["str"], textLimit); err != nil {
		return nil, err
	}
	if err := checkStrings(contents["line_str"], pathLimit); err != nil {
		return nil, err
	}
	data, err := openDWARF(contents)
	if err != nil {
		return nil, err
	}
	return &debugData{data: data, units: units, line: contents["line"]}, nil
}

func openDWARF(contents map[string][]byte) (*dwarf.Data, error) {
	data, err := dwarf.New(contents["abbrev"], nil, nil, contents["info"], contents["line"], nil, contents["ranges"],
		contents["str"])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if err := data.AddSection(".debug_"+name, contents[name]); err != nil {
			return nil, err
		}
	}
	return data, nil
}
