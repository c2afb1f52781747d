package mappings

import "testing"

func TestSelf(t *testing.T) {
	m, err := Self()
	for _, x := range m {
		x.mapped = nil
		t.Logf("%+v", x)
	}
	t.Log(err)
}
