//go:build rss

#include "pictures.h"

#include <stdio.h>
#include <vips/vips.h>

int pictures_begin(void) {
	if (VIPS_INIT("cgoheap"))
		return -1;
	vips_concurrency_set(2);
	return 0;
}

// Returns a picture in memory, or NULL.
static VipsImage *paint(void) {
	VipsImage *noise = NULL, *bytes = NULL, *colours = NULL, *made = NULL;
	if (!vips_gaussnoise(&noise, 1600, 1200, "mean", 128.0, "sigma", 40.0, NULL) && !vips_cast_uchar(noise, &bytes, NULL) &&
	    !vips_bandjoin((VipsImage *[]){bytes, bytes, bytes}, &colours, 3, NULL))
		made = vips_image_copy_memory(colours);
	VIPS_UNREF(noise);
	VIPS_UNREF(bytes);
	VIPS_UNREF(colours);
	return made;
}

static int write_both(VipsImage *picture) {
	void *file = NULL;
	size_t size = 0;
	int failed = vips_jpegsave_buffer(picture, &file, &size, NULL);
	g_free(file);
	file = NULL;
	failed = failed || vips_pngsave_buffer(picture, &file, &size, "compression", 1, NULL);
	g_free(file);
	return failed;
}

int pictures_round(void) {
	VipsImage *picture = paint(), *blurred = NULL, *small = NULL;
	int failed = !picture || vips_gaussblur(picture, &blurred, 2.0, NULL) || vips_resize(blurred, &small, 0.5, NULL) || write_both(small);
	VIPS_UNREF(picture);
	VIPS_UNREF(blurred);
	VIPS_UNREF(small);
	if (failed)
		fprintf(stderr, "%s\n", vips_error_buffer());
	return failed ? -1 : 0;
}
