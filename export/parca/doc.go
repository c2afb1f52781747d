// Package parca sends profiles to Parca, and to Polar Signals Cloud.
//
//	parca.New(parca.Config{
//		Address:         "https://grpc.polarsignals.com",
//		BearerTokenFile: "/var/run/secrets/polarsignals/token",
//		Labels:          map[string]string{"job": "shop"},
//	})
//
// The call is WriteRaw of parca.profilestore.v1alpha1.ProfileStoreService, by gRPC; with http:// that is HTTP/2 without
// TLS, which no HTTP proxy passes on. Parca reads all of a profile with a duration as a delta, so each call carries two
// profiles:
//
//	memory:inuse_space:bytes:space:bytes          memory:inuse_objects:count:space:bytes
//	memory:alloc_space:bytes:space:bytes:delta    memory:alloc_objects:count:space:bytes:delta
//
// Their addresses are already ELF addresses (normalized), so Parca need not compute them from mappings.
//
// # Debug files
//
//	location without a name ─► build ID ─► its debug file, or the file itself ─► ShouldInitiateUpload
//	                                             │ of that build ID               InitiateUpload
//	                                             └───────────────────────────────► Upload, or PUT to a signed URL
//	                                                                              MarkUploadFinished
//
// A profile leaves the process with all names that this machine has. Parca can name the rest if it has the debug file, which
// it gets by an upload. Uploads are made only with UploadDebuginfo, because they send the service's binaries away. One file
// is uploaded at a time, in a separate goroutine, once per build ID, and only if the file still has the build ID of the
// profile: it may have been replaced since it was loaded. It is read at 16 MiB/s at most, because disk, processor and
// network belong to the host.
package parca
