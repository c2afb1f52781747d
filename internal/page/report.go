package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
)

// Asked is what the page asks for: the name of an answer, and its parameters view and by.
type Asked struct{ Name, View, By string }

// MarshalText returns the key by which report.js finds the answer.
func (a Asked) MarshalText() ([]byte, error) {
	return []byte(a.Name + " " + a.View + " " + a.By), nil
}

// WriteReport writes the page as one file with all answers in it. A browser shows it without asking anybody for anything, also from a disk.
func WriteReport(w io.Writer, answers map[Asked]json.RawMessage) error {
	text, err := json.Marshal(answers)
	if err != nil {
		return fmt.Errorf("packing a report: %w", err)
	}
	var packed bytes.Buffer
	pack(&packed, text)
	files := assets()
	script := func(name string) string { return string(files[name].plain) }
	modules, err := json.Marshal(map[string]any{"imports": modulesAsData()})
	if err != nil {
		return fmt.Errorf("packing a report: %w", err)
	}
	scripts := []string{script("uPlot.iife.min.js"), script("report.js"), string(modules), `import "cgoheap/main.js"`}
	inline := strings.NewReplacer(
		`<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+reportPolicy(scripts)+`">`,
		`<link rel="stylesheet" href="files/uPlot.min.css">`, "<style>"+script("uPlot.min.css")+"</style>",
		`<link rel="stylesheet" href="files/page.css">`, "<style>"+script("page.css")+"</style>",
		`<script src="files/uPlot.iife.min.js"></script>`, `<script id="answers" type="application/json">`+
			base64.StdEncoding.EncodeToString(packed.Bytes())+"</script>\n<script>"+scripts[0]+"</script>\n<script>"+scripts[1]+"</script>",
		`<script type="module" src="files/main.js"></script>`, `<script type="importmap">`+scripts[2]+"</script>\n"+
			`<script type="module">`+scripts[3]+"</script>",
	)
	_, err = inline.WriteString(w, script(index))
	return err
}

// reportPolicy allows these scripts, and the modules in them.
func reportPolicy(scripts []string) string {
	allowed := "data:"
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		allowed += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + allowed + "; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
}

// modulesAsData returns the page's modules as addresses that contain them. From there, no module can be named by where it lies.
func modulesAsData() map[string]string {
	list := make(map[string]string)
	for name, file := range assets() {
		if path.Ext(name) == ".js" {
			text := strings.ReplaceAll(string(file.plain), `from "./`, `from "cgoheap/`)
			list["cgoheap/"+name] = "data:text/javascript;base64," + base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	return list
}
