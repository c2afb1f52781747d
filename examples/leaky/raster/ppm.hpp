#pragma once

#include "image.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace raster {

using Bytes = std::vector<std::uint8_t>;

// Thrown by everything that reads a picture, with a sentence for the one who sent it.
class MalformedPicture : public std::runtime_error {
	using std::runtime_error::runtime_error;
};

struct Header {
	char magic;
	int width, height;
	std::size_t length; // of the header itself
};

Header read_header(std::string_view encoded);

template <typename Pixel>
Image<Pixel> decode(const Header &header, std::string_view encoded)
{
	encoded.remove_prefix(header.length);
	Image<Pixel> image(header.width, header.height);
	std::size_t size = image.pixels().size() * sizeof(Pixel);
	if (encoded.size() < size)
		throw MalformedPicture("the picture has " + std::to_string(encoded.size()) + " of " +
				       std::to_string(size) + " bytes");
	std::memcpy(image.pixels().data(), encoded.data(), size);
	return image;
}

template <typename Pixel>
Bytes encode(const Image<Pixel> &image)
{
	std::string header = std::string("P") + Pixel::magic + " " + std::to_string(image.width()) + " " +
			     std::to_string(image.height()) + " 255\n";
	std::size_t size = image.pixels().size() * sizeof(Pixel);
	Bytes encoded;
	encoded.reserve(header.size() + size);
	encoded.insert(encoded.end(), header.begin(), header.end());
	auto first = reinterpret_cast<const std::uint8_t *>(image.pixels().data());
	encoded.insert(encoded.end(), first, first + size);
	return encoded;
}

// The encoded picture, decoded, shrunk and encoded again.
Bytes thumbnail(std::string_view encoded, int width);

} // namespace raster
