package servers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestParcaBehindTLSTakesATokenFromAFileThatChanges(t *testing.T) {
	server := startParca(t, "")
	front := startFront(t, server.process, toolchain.FreePort(t), true)
	front.set(wants("Authorization", "Bearer right"))
	token := writeFile(t, "token", "wrong\n")
	keeper := startKeeper(t, "-parca", front.url, "-ca", front.authority, "-token-file", token)
	allocate(t, keeper, "keep", 1024, 10) // an empty profile is not sent
	awaitPushed(t, keeper)                // it is refused, before the token is right
	mustSay(t, awaitCounter(t, keeper, "export_refused", 1), "unauthenticated")

	if err := os.WriteFile(token, []byte("right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	allocate(t, keeper, "keep", 4096, 100)
	awaitPushed(t, keeper)
	eventually(t, "reading back", func() error {
		return allocationsDiffer(server, "keeper", stacks{kept: 4096 * 100})
	})
}

func TestPyroscopeBehindTLSTakesAUserAndAPassword(t *testing.T) {
	server := startPyroscope(t)
	front := startFront(t, server.process, toolchain.FreePort(t), true)
	front.set(wants("Authorization", "Basic dXNlcjpyaWdodA==")) // user:right
	flags := []string{"-pyroscope", front.url, "-ca", front.authority, "-user", "user", "-password"}
	stranger := startKeeper(t, append(flags, "wrong", "-service", "stranger")...)
	keeper := startKeeper(t, append(flags, "right")...)

	allocate(t, stranger, "keep", 1024, 10)
	mustSay(t, awaitCounter(t, stranger, "export_refused", 1), "unauthenticated")
	allocate(t, keeper, "keep", 4096, 100)
	awaitPushed(t, keeper)
	eventually(t, "reading back", func() error {
		return allocationsDiffer(server, "keeper", stacks{kept: 4096 * 100})
	})
	if got, err := server.allocated("stranger"); err == nil && got.total() > 0 {
		t.Errorf("the stranger's profiles have arrived: %v", got)
	}
}

func TestPyroscopeKeepsTenantsApart(t *testing.T) {
	server := startPyroscope(t, "-auth.multitenancy-enabled=true")
	one := startKeeper(t, "-pyroscope", server.url, "-tenant", "one")
	two := startKeeper(t, "-pyroscope", server.url, "-tenant", "two")
	nobody := startKeeper(t, "-pyroscope", server.url)
	allocate(t, one, "keep", 4096, 100)
	allocate(t, two, "keep", 512, 30)
	awaitPushed(t, one)
	awaitPushed(t, two)

	for tenant, want := range map[string]int64{"one": 4096 * 100, "two": 512 * 30} {
		asTenant := &pyroscopeServer{server.process, tenant}
		eventually(t, "reading back as "+tenant, func() error {
			return allocationsDiffer(asTenant, "keeper", stacks{kept: want})
		})
	}
	allocate(t, nobody, "keep", 1024, 10)
	mustSay(t, awaitCounter(t, nobody, "export_refused", 1), "no org id")
	if got, err := server.allocated("keeper"); err == nil {
		t.Errorf("without a tenant, Pyroscope answers %v", got)
	}
}

// mustSay checks that a counter's sentence contains the reason.
func mustSay(t *testing.T, c cgoheap.Counter, reason string) {
	t.Helper()
	if !strings.Contains(c.Sentence, reason) {
		t.Errorf("%s says %q, want the reason %q", c.Name, c.Sentence, reason)
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
