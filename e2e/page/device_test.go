package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// library compiles C to a library, or with -c to an object.
func library(t *testing.T, path string, arguments ...string) {
	t.Helper()
	arguments = append([]string{"-std=gnu11", "-fPIC", "-shared", "-pthread", "-Wl,-soname," + filepath.Base(path), "-o", path}, arguments...)
	if out, err := exec.Command("gcc", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// What a service has on a card is beside its RSS, and a click leads to the stacks that asked for it. The driver is a stand-in.
func TestMemoryOfADeviceIsOnThePage(t *testing.T) {
	needsBrowser(t)
	dir := t.TempDir()
	const nvml, cuda = "../../internal/nvml/testdata/driver.c", "../../cgo/testdata/cuda/cuda.c"
	library(t, filepath.Join(dir, "libnvidia-ml.so.1"), nvml, "-DCARD_USED=(31ULL<<30)", "-DOWN_USED=(15792ULL<<20)")
	bus := filepath.Join(dir, "bus.o")
	library(t, bus, nvml, "-c", "-DCUDA", "-DcuDeviceGet=other", "-DcuDeviceGetCount=others")
	library(t, filepath.Join(dir, "libcuda.so.1"), cuda, bus)
	address, end := serve(t, "env", "LD_LIBRARY_PATH="+dir, build(t, "device", dir))
	t.Cleanup(end)
	b := open(t, address+folder, 1280, 800)
	const line = "device memory, GPU 0: in use by this process"
	contains(t, eval[string](t, b, text("#account")), line, "15.4 GiB"+line+", as the driver says",
		"31.0 GiBdevice memory, GPU 0: in use by all processes", "64.0 MiB", "host memory pinned for devices")
	b.do(t, chromedp.Click(`//*[@id="account"]//button[text()="`+line+`"]`, chromedp.BySearch),
		is(`document.querySelector("#stacks").ariaBusy === "false" && `+text("#flame")+`.includes("handleConversation")`))
	drawn := eval[string](t, b, text("#stacks"))
	for _, part := range []string{"load_layer", "loadModel", "extend_cache", "15.3 GiB"} { // 32 layers of 416 MiB, 100 conversations of 24
		contains(t, drawn, part)
	}
	if pictures := os.Getenv(picturesVariable); pictures != "" {
		var picture []byte
		b.do(t, chromedp.EmulateViewport(1280, 1700), chromedp.Evaluate("scrollTo(0, 0)", nil), chromedp.CaptureScreenshot(&picture))
		save(t, filepath.Join(pictures, "device.png"), picture)
	}
}
