package raster

// #include "raster.h"
import "C"

import "errors"

// Worker renders pictures on a native thread of its own. It may be used by several goroutines.
type Worker struct {
	native *C.struct_raster_worker
}

// OpenWorker starts the thread. The caller owes a Close.
func OpenWorker() (*Worker, error) {
	native := C.raster_worker_open()
	if native == nil {
		return nil, errors.New("starting a raster worker: no thread")
	}
	return &Worker{native}, nil
}

// ShrinkAll renders each picture at most width pixels wide, in order. It holds no native memory when it returns.
func (w *Worker) ShrinkAll(pictures [][]byte, width int) ([][]byte, error) {
	jobs := make([]*C.struct_raster_job, len(pictures))
	for i, picture := range pictures {
		jobs[i] = C.raster_worker_submit(w.native, start(picture), C.size_t(len(picture)), C.int(width))
	}
	thumbnails := make([][]byte, len(jobs))
	var failures []error
	for i, job := range jobs {
		var err error
		thumbnails[i], err = wait(job)
		failures = append(failures, err)
	}
	return thumbnails, errors.Join(failures...)
}

func wait(job *C.struct_raster_job) ([]byte, error) {
	if job == nil {
		return nil, errors.New("submitting a picture to the raster worker: out of memory")
	}
	return take(C.raster_job_wait(job))
}

// Close finishes what was submitted and ends the thread.
func (w *Worker) Close() { C.raster_worker_close(w.native) }
