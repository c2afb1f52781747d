package main

import (
	"fmt"
	"strconv"
)

const (
	albumPhotos = 8
	photoWidth  = 320
	photoHeight = 240
)

// album holds the shop's photos, encoded as PPM, in Go memory.
type album [][]byte

// newAlbum draws photos: gradients that differ in hue.
func newAlbum() album {
	photos := make(album, albumPhotos)
	for i := range photos {
		photos[i] = newPhoto(i)
	}
	return photos
}

func newPhoto(hue int) []byte {
	photo := fmt.Appendf(nil, "P6 %d %d 255\n", photoWidth, photoHeight)
	for y := range photoHeight {
		for x := range photoWidth {
			photo = append(photo, byte(x), byte(y), byte(x*hue+y))
		}
	}
	return photo
}

func (a album) photo(number string) ([]byte, error) {
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(a) {
		return nil, fmt.Errorf("there is no photo %q", number)
	}
	return a[i], nil
}
