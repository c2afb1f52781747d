//go:build libxml2

package bench

import (
	"strings"
	"testing"

	xsdvalidate "github.com/terminalstatic/go-xsd-validate"
)

func init() { bindings++ }

// BenchmarkXML leaks each document.
func BenchmarkXML(b *testing.B) {
	if err := xsdvalidate.Init(); err != nil {
		b.Fatal(err)
	}
	defer xsdvalidate.Cleanup()
	source := []byte("<a>" + strings.Repeat("<b c='d'>text</b>", 50) + "</a>")
	counted(b, func() {
		if _, err := xsdvalidate.NewXmlHandlerMem(source, xsdvalidate.ParsErrDefault); err != nil {
			b.Fatal(err)
		}
	})
}
