package self

import (
	"os"
	"path/filepath"
)

// Name is the name of the program's file: of its first argument when the program began, because programs change os.Args, or
// of its executable where there was none.
var Name = name(os.Args, os.Executable)

// unknown is the name if the real one cannot be found.
const unknown = "program"

func name(arguments []string, executable func() (string, error)) string {
	if len(arguments) > 0 && arguments[0] != "" {
		return base(arguments[0])
	}
	if path, err := executable(); err == nil {
		return base(path)
	}
	return unknown
}

// base returns the last part of a path, which can be a part of another file's name.
func base(path string) string {
	last := filepath.Base(path)
	if last == string(filepath.Separator) || last == "." || last == ".." {
		return unknown
	}
	return last
}
