#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace raster {

struct Grey {
	static constexpr char magic = '5';
	static constexpr std::size_t channels = 1;
	std::uint8_t channel[channels];
};

struct Rgb {
	static constexpr char magic = '6';
	static constexpr std::size_t channels = 3;
	std::uint8_t channel[channels];
};

template <typename Pixel>
class Image {
public:
	Image(int width, int height) : width_(width), height_(height), pixels_(std::size_t(width) * height) {}

	int width() const { return width_; }
	int height() const { return height_; }
	Pixel &at(int x, int y) { return pixels_[std::size_t(y) * width_ + x]; }
	const Pixel &at(int x, int y) const { return pixels_[std::size_t(y) * width_ + x]; }
	std::vector<Pixel> &pixels() { return pixels_; }
	const std::vector<Pixel> &pixels() const { return pixels_; }

private:
	int width_, height_;
	std::vector<Pixel> pixels_;
};

// The mean of the pixels in [x0, x1) × [y0, y1).
template <typename Pixel>
Pixel mean(const Image<Pixel> &image, int x0, int x1, int y0, int y1)
{
	std::uint32_t sum[Pixel::channels] = {};
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++)
			for (std::size_t c = 0; c < Pixel::channels; c++)
				sum[c] += image.at(x, y).channel[c];
	Pixel pixel;
	for (std::size_t c = 0; c < Pixel::channels; c++)
		pixel.channel[c] = std::uint8_t(sum[c] / std::uint32_t((x1 - x0) * (y1 - y0)));
	return pixel;
}

// The image, scaled down by a box filter to at most width pixels across; it is never scaled up.
template <typename Pixel>
Image<Pixel> shrink(const Image<Pixel> &source, int width)
{
	width = std::min(width, source.width());
	int height = std::max(1, int(std::int64_t(source.height()) * width / source.width()));
	Image<Pixel> target(width, height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			target.at(x, y) = mean(source, x * source.width() / width, (x + 1) * source.width() / width,
					       y * source.height() / height, (y + 1) * source.height() / height);
	return target;
}

} // namespace raster
