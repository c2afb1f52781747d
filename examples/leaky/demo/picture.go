package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

const pictureScale = 1.5 // of the PNG

// draw writes the profile's flame graph into the directory out, as SVG and as PNG, and returns both paths.
func draw(p *profile.Profile, out string) (string, error) {
	root, err := flame.New(p, "inuse_space")
	if err != nil {
		return "", err
	}
	picture := &flame.Picture{
		Title: "leaky: resident memory",
		Subtitle: fmt.Sprintf("%s. Width is resident bytes; each function calls the ones below it, and what has no stack is in brackets.",
			flame.FormatBytes(root.Value)),
		Root: root,
	}
	svg, png := filepath.Join(out, "leaky.svg"), filepath.Join(out, "leaky.png")
	err = errors.Join(
		write(svg, picture.SVG),
		write(png, func(w io.Writer) error { return picture.PNG(w, pictureScale) }),
	)
	return svg + "\n              " + png, err
}

func write(path string, content func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}
