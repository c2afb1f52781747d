package parca

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/rpc"
	"github.com/cgoheap/cgoheap/export/parca/internal/parcapb"
)

// debuginfo is Parca's service for debug files.
type debuginfo struct {
	client   *rpc.Client
	should   *rpc.Method[parcapb.ShouldInitiateUploadRequest, parcapb.ShouldInitiateUploadResponse]
	initiate *rpc.Method[parcapb.InitiateUploadRequest, parcapb.InitiateUploadResponse]
	stream   *rpc.Method[parcapb.UploadRequest, parcapb.UploadResponse]
	finish   *rpc.Method[parcapb.MarkUploadFinishedRequest, parcapb.MarkUploadFinishedResponse]
}

const serviceDebuginfo = "/parca.debuginfo.v1alpha1.DebuginfoService/"

func newDebuginfo(c *rpc.Client) *debuginfo {
	return &debuginfo{
		client:   c,
		should:   rpc.NewMethod[parcapb.ShouldInitiateUploadRequest, parcapb.ShouldInitiateUploadResponse](c, serviceDebuginfo+"ShouldInitiateUpload"),
		initiate: rpc.NewMethod[parcapb.InitiateUploadRequest, parcapb.InitiateUploadResponse](c, serviceDebuginfo+"InitiateUpload"),
		stream:   rpc.NewMethod[parcapb.UploadRequest, parcapb.UploadResponse](c, serviceDebuginfo+"Upload"),
		finish:   rpc.NewMethod[parcapb.MarkUploadFinishedRequest, parcapb.MarkUploadFinishedResponse](c, serviceDebuginfo+"MarkUploadFinished"),
	}
}

// errKnown reports that the server has the file, or can get it elsewhere.
var errKnown = errors.New("the server does not want the file")

// upload uploads a file, if the server wants it.
func (d *debuginfo) upload(ctx context.Context, buildID string, f *debugFile) error {
	wanted, err := d.should.Call(ctx, &parcapb.ShouldInitiateUploadRequest{
		BuildId: buildID, BuildIdType: parcapb.BuildIDType_BUILD_ID_TYPE_GNU,
	})
	if err != nil {
		return fmt.Errorf("asking whether to upload %s: %w", f.Name(), err)
	}
	if !wanted.ShouldInitiateUpload {
		return errKnown
	}
	hash, err := f.hash(ctx)
	if err != nil {
		return fmt.Errorf("reading a debug file: %w", err)
	}
	answer, err := d.initiate.Call(ctx, &parcapb.InitiateUploadRequest{
		BuildId: buildID, BuildIdType: parcapb.BuildIDType_BUILD_ID_TYPE_GNU, Size: f.size, Hash: hash,
	})
	if err != nil {
		return fmt.Errorf("beginning to upload %s: %w", f.Name(), err)
	}
	how := answer.GetUploadInstructions()
	if err := d.send(ctx, how, f); err != nil {
		return fmt.Errorf("uploading %s: %w", f.Name(), err)
	}
	_, err = d.finish.Call(ctx, &parcapb.MarkUploadFinishedRequest{BuildId: how.GetBuildId(), UploadId: how.GetUploadId()})
	if err != nil {
		return fmt.Errorf("ending the upload of %s: %w", f.Name(), err)
	}
	return nil
}

// send sends the file in the way that the server asked for.
func (d *debuginfo) send(ctx context.Context, how *parcapb.UploadInstructions, f *debugFile) error {
	switch how.GetUploadStrategy() {
	case parcapb.UploadInstructions_STRATEGY_GRPC:
		_, err := d.stream.Stream(ctx, pieces(how, f.content(ctx)))
		return err
	case parcapb.UploadInstructions_STRATEGY_SIGNED_URL:
		return d.client.Put(ctx, how.GetSignedUrl(), f.content(ctx), f.size)
	}
	return &delivery.Failure{
		Err:     fmt.Errorf("the server asks for an unknown way to upload: %v", how.GetUploadStrategy()),
		Verdict: delivery.Refused,
	}
}

const pieceBytes = 256 << 10

// pieces returns the messages of an upload, one per call: a description, then the file.
func pieces(how *parcapb.UploadInstructions, file io.Reader) func() (*parcapb.UploadRequest, error) {
	info := &parcapb.UploadRequest{Data: &parcapb.UploadRequest_Info{
		Info: &parcapb.UploadInfo{BuildId: how.GetBuildId(), UploadId: how.GetUploadId()},
	}}
	piece := make([]byte, pieceBytes)
	return func() (*parcapb.UploadRequest, error) {
		if first := info; first != nil {
			info = nil
			return first, nil
		}
		n, err := io.ReadFull(file, piece)
		if n == 0 {
			return nil, err
		}
		return &parcapb.UploadRequest{Data: &parcapb.UploadRequest_ChunkData{ChunkData: piece[:n]}}, nil
	}
}
