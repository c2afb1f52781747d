#pragma once

#include "ppm.hpp"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace raster {

// Renders thumbnails on a thread of its own, in the order in which they were submitted.
class Worker {
public:
	Worker();
	~Worker(); // finishes what was submitted

	// Copies the picture; the result is the thumbnail or the exception that rendering it threw.
	std::future<Bytes> submit(std::string_view picture, int width);

private:
	struct Job {
		std::string picture;
		int width;
		std::promise<Bytes> result;
	};

	void run();
	std::optional<Job> next(); // none is the end

	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<Job> jobs_;
	bool closing_ = false;
	std::thread thread_; // last: it starts when everything above is there
};

} // namespace raster
