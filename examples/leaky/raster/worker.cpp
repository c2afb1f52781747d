#include "worker.hpp"

#include <utility>

namespace raster {

namespace {

void render(const std::string &picture, int width, std::promise<Bytes> &result)
{
	try {
		result.set_value(thumbnail(picture, width));
	} catch (...) {
		result.set_exception(std::current_exception());
	}
}

} // namespace

Worker::Worker() : thread_(&Worker::run, this) {}

Worker::~Worker()
{
	{
		std::lock_guard<std::mutex> lock(mutex_);
		closing_ = true;
	}
	changed_.notify_one();
	thread_.join();
}

std::future<Bytes> Worker::submit(std::string_view picture, int width)
{
	Job job{std::string(picture), width, {}};
	std::future<Bytes> result = job.result.get_future();
	{
		std::lock_guard<std::mutex> lock(mutex_);
		jobs_.push_back(std::move(job));
	}
	changed_.notify_one();
	return result;
}

void Worker::run()
{
	while (std::optional<Job> job = next())
		render(job->picture, job->width, job->result);
}

std::optional<Worker::Job> Worker::next()
{
	std::unique_lock<std::mutex> lock(mutex_);
	changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
	if (jobs_.empty())
		return std::nullopt;
	std::optional<Job> job = std::move(jobs_.front());
	jobs_.pop_front();
	return job;
}

} // namespace raster
