package debugfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// Server downloads debug files from debuginfod servers by build ID, and keeps them on the disk where other clients of the
// protocol look for them too. It never deletes good files; those clients do after a week. It may be used from several
// goroutines.
type Server struct {
	URLs     []string      // asked one after the other
	Cache    string        // directory of the files
	Timeout  time.Duration // for one file
	MaxBytes int64         // of one file

	mu    sync.Mutex
	pause time.Time // no server is asked before this time, after one has failed
}

const (
	defaultTimeout  = time.Minute
	defaultMaxBytes = 1 << 30
	pauseAfterError = 2 * time.Minute
)

// EnvironmentServer returns the Server that the environment configures: DEBUGINFOD_URLS, separated by spaces, and the cache
// in DEBUGINFOD_CACHE_PATH or else in debuginfod_client of the user's directory for caches. It is nil if there are no URLs
// or no directory for the files.
func EnvironmentServer() *Server {
	urls := strings.Fields(os.Getenv("DEBUGINFOD_URLS"))
	cache := cacheDir()
	if len(urls) == 0 || cache == "" {
		return nil
	}
	return &Server{URLs: urls, Cache: cache, Timeout: defaultTimeout, MaxBytes: defaultMaxBytes}
}

// download downloads the separate debug file from a server.
func (f *Files) download() *elffile.File {
	server, id := f.finder.Server, f.module.BuildID
	if server == nil || !hexadecimal(id) {
		return nil
	}
	if !f.finder.AskServer {
		f.refuse(f.module.Path, ErrServerOff, nil)
		return nil
	}
	path, err := server.fetch(id)
	if err != nil {
		kind := ErrServer
		if errors.Is(err, ErrNotOnServer) {
			kind = ErrNotOnServer
		}
		f.refuse(f.module.Path, kind, err)
		return nil
	}
	file := f.openSame(path, id)
	if file == nil {
		_ = os.Remove(path) // a wrong file from a server must not stay
	}
	return file
}

func hexadecimal(id string) bool {
	return len(id) >= 4 && strings.Trim(id, "0123456789abcdef") == ""
}

var errPaused = errors.New("a server has just failed")

// fetch returns the path in the cache of the debug file with that build ID. The error wraps ErrNotOnServer if all servers
// have answered that they lack it, now or a while ago.
func (s *Server) fetch(id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := s.entry(id)
	if known, err := entry.look(time.Now()); known || err != nil {
		return entry.path, err
	}
	if time.Now().Before(s.pause) {
		return "", errPaused
	}
	err := s.askAll(entry, id)
	switch {
	case err == nil:
		return entry.path, nil
	case errors.Is(err, ErrNotOnServer):
		entry.markMissing()
	default:
		s.pause = time.Now().Add(pauseAfterError)
	}
	return "", err
}

// askAll asks the servers until one has the file. The file counts as missing only if all of them have answered so.
func (s *Server) askAll(entry cacheEntry, id string) error {
	result := ErrNotOnServer
	for _, address := range s.URLs {
		address = strings.TrimSuffix(address, "/") + "/buildid/" + id + "/debuginfo"
		err := s.ask(address, entry)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrNotOnServer) {
			result = fmt.Errorf("%s: %w", shown(address), err)
		}
	}
	return result
}

// shown returns an address without what may be secret in it: errors are in profiles, which go to servers.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "a server whose address is no URL"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment = nil, "", false, ""
	return u.String()
}

func (s *Server) ask(address string, entry cacheEntry) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("no request can be made of it")
	}
	request.Header.Set("User-Agent", "cgoheap")
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound:
		return ErrNotOnServer
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
	case response.ContentLength > s.MaxBytes:
		return fmt.Errorf("%d bytes are more than %d", response.ContentLength, s.MaxBytes)
	}
	return entry.store(io.LimitReader(response.Body, s.MaxBytes+1), s.MaxBytes)
}

// withoutAddress returns the reason in an error of net/http, which repeats the whole address.
func withoutAddress(err error) error {
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		return failure.Err
	}
	return err
}
