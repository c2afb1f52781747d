// Package parca sends profiles to Parca, and to Polar Signals Cloud.
//
//	parca.New(parca.Config{
//		Address:         "https://grpc.polarsignals.com",
//		BearerTokenFile: "/var/run/secrets/polarsignals/token",
//		Labels:          map[string]string{"job": "shop"},
//	})
//
// The call is WriteRaw of parca.profilestore.v1alpha1.ProfileStoreService, by gRPC; with http:// that is HTTP/2 without
// TLS, which no HTTP proxy passes on. Parca takes a profile with a duration for a delta, all of it, so two go in one call:
//
//	memory:inuse_space:bytes:space:bytes          memory:inuse_objects:count:space:bytes
//	memory:alloc_space:bytes:space:bytes:delta    memory:alloc_objects:count:space:bytes:delta
//
// The addresses in them are already those of the files (normalized), as Parca would otherwise compute them from mappings.
//
// # Debug files
//
//	location without a name ─► build ID ─► its debug file, or the file itself ─► ShouldInitiateUpload
//	                                             │ of that build ID               InitiateUpload
//	                                             └───────────────────────────────► Upload, or PUT to a signed URL
//	                                                                              MarkUploadFinished
//
// A profile leaves the process named, as far as this machine has names. What is left, Parca can name if it has the debug
// file, which an upload gives it: later Parcas read what this process cannot. Uploads are made only with UploadDebuginfo:
// they send the service's binaries away. One file is uploaded at a time, in a goroutine of its own, once per build ID, and
// only if its build ID is the one in the profile: the file may have been replaced since it was loaded. It is read at 16
// MiB/s at most, as disk, core and network are the host's.
package parca
