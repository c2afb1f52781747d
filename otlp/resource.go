package otlp

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
)

// resources are the attributes of whoever the profiles are of.
type resources struct {
	name      string // differs for resources that differ
	living    *resource.Resource
	recovered *resource.Resource // a process that died
}

const (
	keyServiceName = "service.name"
	keyRecovered   = "recovered" // has the name that it has at other servers
)

func (c *Config) resources() (r resources, err error) {
	given := maps.Clone(c.Attributes)
	if given == nil {
		given = map[string]string{}
	}
	if c.ServiceName != "" {
		given[keyServiceName] = c.ServiceName
	} else if given[keyServiceName] == "" {
		given[keyServiceName] = unknownService()
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		switch {
		case key == "":
			return r, errors.New("a resource attribute has no name")
		case !utf8.ValidString(key), !utf8.ValidString(given[key]):
			return r, fmt.Errorf("the resource attribute %q is not UTF-8: %q", key, given[key])
		}
	}
	r.living = resourceOf(given)
	r.name = fmt.Sprintf("%q", given)
	given[keyRecovered] = "true"
	r.recovered = resourceOf(given)
	return r, nil
}

// unknownService is the name that the semantic conventions give a service without one.
func unknownService() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown_service"
	}
	return "unknown_service:" + strings.ToValidUTF8(filepath.Base(path), "_")
}

// resourceOf leaves out attributes without a value.
func resourceOf(attributes map[string]string) *resource.Resource {
	r := &resource.Resource{}
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		if value := attributes[key]; value != "" {
			r.Attributes = append(r.Attributes, &common.KeyValue{Key: key, Value: text(value)})
		}
	}
	return r
}
