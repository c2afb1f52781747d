package rpc

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A server may repeat what it was sent: "401: no user for Basic dXNlcjpwYXNz". What it says is logged, kept as a reason in Stats and
// served with them. So whatever this package returns of an answer, or of a connection, has no secret that it knows, in none of the
// forms in which servers write one.

// blanked takes the place of a secret.
const blanked = "[secret]"

// secrets are those of a client: of its configuration, and those that were met since.
type secrets struct {
	mu    sync.Mutex
	fixed []string
	met   []string // the last few: tokens of a file, the user of a proxy
}

const mostMet = 16

// meet notes secrets that are not in the configuration.
func (s *secrets) meet(list ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range list {
		if !slices.Contains(s.met, secret) {
			s.met = append(s.met, secret)
		}
	}
	s.met = s.met[max(0, len(s.met)-mostMet):]
}

// blank returns a text without the secrets, and without those given.
func (s *secrets) blank(text string, more ...string) string {
	s.mu.Lock()
	all := slices.Concat(s.fixed, s.met, more)
	s.mu.Unlock()
	var patterns []string
	for _, secret := range all {
		for _, form := range forms(secret) {
			patterns = append(patterns, pattern(form))
		}
	}
	if len(patterns) == 0 {
		return text
	}
	slices.SortFunc(patterns, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest that begins at a place
	found, err := regexp.Compile("(?i)" + strings.Join(patterns, "|"))
	if err != nil {
		return blanked // it never is: each is quoted
	}
	return found.ReplaceAllLiteralString(text, blanked)
}

// wordBytes is the length below which a secret is only found as a word: a tenant 1 is not in 401.
const wordBytes = 8

var word = regexp.MustCompile(`^\w+$`)

func pattern(form string) string {
	quoted := regexp.QuoteMeta(form)
	if len(form) < wordBytes && word.MatchString(form) {
		return `\b` + quoted + `\b`
	}
	return quoted
}

// forms returns what a secret looks like where others write it.
func forms(secret string) []string {
	if secret == "" {
		return nil
	}
	list := []string{secret}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		list = append(list, e.EncodeToString([]byte(secret)))
	}
	for _, text := range slices.Clone(list) {
		list = append(list, url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text), strings.ReplaceAll(text, "/", `\/`),
			inside(strconv.Quote(text)), inside(strconv.QuoteToASCII(text)))
		if asJSON, err := json.Marshal(text); err == nil {
			list = append(list, inside(string(asJSON)))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inside takes the quotes off.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// secrets returns those of the configuration, and of the environment's proxies.
func (c *Config) secrets() (list []string) {
	list = append(list, c.BearerToken)
	if c.User != "" || c.Password != "" {
		list = append(list, pair(c.User, c.Password)...)
	}
	for _, values := range c.Header {
		for _, value := range values {
			list = append(list, ofHeader(value)...)
		}
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		for _, name := range []string{name, strings.ToLower(name)} {
			list = append(list, ofProxy(os.Getenv(name))...)
		}
	}
	return list
}

// pair returns what is secret in basic authentication. A user without a password is a key.
func pair(user, password string) []string {
	return []string{user + ":" + password, cmp.Or(password, user)}
}

// ofHeader returns the value of a header and its parts: a token behind a word such as ApiKey, the values of cookies, and what basic
// authentication encodes. Short parts are words.
func ofHeader(value string) (list []string) {
	if len(value) > 2 {
		list = append(list, value)
	}
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t;,=\"", r) }) {
		if len(part) >= wordBytes {
			list = append(list, part)
		}
	}
	request := http.Request{Header: http.Header{"Authorization": {value}}}
	if user, password, basic := request.BasicAuth(); basic {
		list = append(list, pair(user, password)...)
	}
	return list
}

func ofProxy(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	return ofUser(u.User)
}

func ofUser(user *url.Userinfo) []string {
	if user == nil {
		return nil
	}
	password, _ := user.Password()
	return append(pair(user.Username(), password), user.String())
}

// ofQuery returns the values in the query of an address or a path, as they stand there and as they are meant.
func ofQuery(address string) (list []string) {
	_, query, _ := strings.Cut(address, "?")
	for part := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		list = append(list, value)
		if meant, err := url.QueryUnescape(value); err == nil {
			list = append(list, meant)
		}
	}
	return list
}

// shown returns an address for an error, without what may be secret in it.
func shown(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at >= 0 {
		address = "..." + address[at:]
	}
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		address = address[:end] + "..."
	}
	return fmt.Sprintf("%q", address)
}
