#include "ppm.hpp"

#include <charconv>

namespace raster {

namespace {

constexpr int largest_side = 1 << 14;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Reads one number of the header, and the one white space after it.
int read_number(std::string_view encoded, std::size_t &position)
{
	while (position < encoded.size() && is_space(encoded[position]))
		position++;
	int number = 0;
	auto [end, error] = std::from_chars(encoded.data() + position, encoded.data() + encoded.size(), number);
	if (error != std::errc() || number <= 0 || number > largest_side)
		throw MalformedPicture("the picture's header has no number at byte " + std::to_string(position));
	position = std::size_t(end - encoded.data()) + 1;
	return number;
}

template <typename Pixel>
Bytes thumbnail_of(const Header &header, std::string_view encoded, int width)
{
	return encode(shrink(decode<Pixel>(header, encoded), width));
}

} // namespace

Header read_header(std::string_view encoded)
{
	if (encoded.size() < 2 || encoded[0] != 'P')
		throw MalformedPicture("the picture is neither PPM nor PGM");
	Header header{encoded[1], 0, 0, 2};
	header.width = read_number(encoded, header.length);
	header.height = read_number(encoded, header.length);
	if (read_number(encoded, header.length) != 255 || header.length > encoded.size())
		throw MalformedPicture("only pictures with 8 bits per channel are supported");
	return header;
}

Bytes thumbnail(std::string_view encoded, int width)
{
	if (width <= 0)
		throw std::invalid_argument("a thumbnail must be at least one pixel wide");
	Header header = read_header(encoded);
	switch (header.magic) {
	case Grey::magic:
		return thumbnail_of<Grey>(header, encoded, width);
	case Rgb::magic:
		return thumbnail_of<Rgb>(header, encoded, width);
	}
	throw MalformedPicture(std::string("pictures of kind P") + header.magic + " are not supported");
}

} // namespace raster
