// Package otlp sends profiles to a collector of OpenTelemetry, or to any other server that takes the signal profiles of OTLP.
//
// It is experimental, as the signal is: the messages are those of opentelemetry.proto.profiles.v1development, which may change
// in any release of OpenTelemetry, and so may everything here, in any release of this module. The messages are pinned to
// go.opentelemetry.io/proto/otlp/profiles/v1development v0.4.0, which goes with go.opentelemetry.io/proto/otlp v1.11.0. A
// collector takes profiles only with the feature gate service.profilesSupport; v0.165.0 is tested.
//
//	target, err := otlp.New(otlp.Config{
//		Address:     "http://collector:4318",
//		ServiceName: "shop",
//		Attributes:  map[string]string{"deployment.environment.name": "production"},
//	})
//	if err != nil {
//		return err
//	}
//	exporter, err := export.Start(profiler, target, export.Config{})
//
// The call is a POST to /v1development/profiles (OTLP/HTTP, protocol buffers, gzipped) or, with GRPC, Export of
// opentelemetry.proto.collector.profiles.v1development.ProfilesService.
//
// # What is sent
//
//	profile.proto ─► google/pprof ─► converter ─► dictionary: strings, functions, mappings, locations, stacks, attributes
//	  in use                            └──────► a Profile for each sample type: inuse_space, inuse_objects,
//	  allocated                                  alloc_space, alloc_objects
//
// A Profile of OTLP has one sample type, and those of one request share a dictionary. Memory in use has no duration; what was
// allocated since the last request has one, so it is a delta. Samples that are 0 in a type are left out of it. The profile that
// viewers show first, inuse_space, is the first. Everything else of a pprof profile is kept: addresses, inlined calls, names as
// linkers know them, sample labels, and by the semantic conventions also build IDs (process.executable.build_id.gnu) and what
// only pprof has (pprof.profile.comment, pprof.mapping.has_functions and the like). Bytes that are not UTF-8 become U+FFFD,
// because a message with them is refused.
//
// The profile of a process that died has the resource attribute recovered="true". A Profile that is sent again, because the
// answer was lost, has the same profile_id.
//
// # Answers
//
// As the protocol demands, 429, 502, 503, 504 and what gRPC calls unavailable are tried again, after what Retry-After or
// google.rpc.RetryInfo says, and 500 never is. A partial success, an answer that says how many profiles were rejected, is
// counted as a refusal with the server's reason: nothing of that request is sent again.
package otlp
