package otlp

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/pprof/profile"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cgoheap/cgoheap/export/post"
)

// schema is the version of the semantic conventions from which the names of attributes are.
const schema = "https://opentelemetry.io/schemas/1.39.0"

// encode makes the request of a moment. A ProfilesData is an ExportProfilesServiceRequest, field by field.
func (r *resources) encode(m *post.Moment) ([]byte, error) {
	of := r.living
	if m.Recovered {
		of = r.recovered
	}
	converter := newConverter()
	scope := &profiles.ScopeProfiles{Scope: &common.InstrumentationScope{Name: "github.com/cgoheap/cgoheap"}, SchemaUrl: schema}
	for _, gzipped := range m.Profiles {
		p, err := profile.ParseData(gzipped)
		if err != nil {
			return nil, fmt.Errorf("reading a profile: %w", err)
		}
		list, err := converter.convert(p, sha256.Sum256(gzipped))
		if err != nil {
			return nil, err
		}
		scope.Profiles = append(scope.Profiles, list...)
	}
	return proto.Marshal(&profiles.ProfilesData{
		ResourceProfiles: []*profiles.ResourceProfiles{{Resource: of, ScopeProfiles: []*profiles.ScopeProfiles{scope}, SchemaUrl: schema}},
		Dictionary:       converter.dictionary.message,
	})
}

// Numbers of fields of the answer, an ExportProfilesServiceResponse.
const (
	answerPartialSuccess   = 1
	partialRejectedCount   = 1
	partialRejectedMessage = 2
)

// rejected returns an error if an answer says that profiles were rejected. A message without a number is a warning, which the
// protocol does not want to be treated as a failure.
func rejected(answer []byte) error {
	partial, err := field(answer, answerPartialSuccess)
	if err != nil || partial.bytes == nil {
		return err
	}
	count, err := field(partial.bytes, partialRejectedCount)
	if err != nil || count.number == 0 {
		return err
	}
	reason, err := field(partial.bytes, partialRejectedMessage)
	if err != nil {
		return err
	}
	return fmt.Errorf("the collector rejected %d of the profiles: %.300q", int64(count.number), reason.bytes)
}

// value is what a field has: a number or bytes, and neither if the message lacks the field.
type value struct {
	number uint64
	bytes  []byte
}

var errAnswer = errors.New("the collector's answer is not a message of OTLP")

// field returns the last value of a field of a message.
func field(message []byte, wanted protowire.Number) (v value, err error) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return value{}, errAnswer
		}
		message = message[n:]
		length := protowire.ConsumeFieldValue(number, kind, message)
		if length < 0 {
			return value{}, errAnswer
		}
		switch {
		case number == wanted && kind == protowire.VarintType:
			v.number, _ = protowire.ConsumeVarint(message)
		case number == wanted && kind == protowire.BytesType:
			v.bytes, _ = protowire.ConsumeBytes(message)
		}
		message = message[length:]
	}
	return v, nil
}
