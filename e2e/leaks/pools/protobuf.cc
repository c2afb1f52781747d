//go:build leaks

// Messages of protobuf: repeated fields have room for more than they hold, which nobody clears, and arenas have many messages in a block.
#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <vector>

#include "trial.h"

using google::protobuf::Arena;
using google::protobuf::FieldMask;
using location = google::protobuf::SourceCodeInfo_Location;

namespace {

enum { FIELDS = 70, TEXT = 400, SIZE = (TEXT + 100) * FIELDS };

template <class message> message *filled(message *made)
{
	for (int i = 0; i < FIELDS; i++)
		made->add_paths(std::string(TEXT, 'a'));
	return made;
}

template <> location *filled(location *made)
{
	for (int i = 0; i < SIZE / 6; i++)
		made->add_path(i);
	return made;
}

APART FieldMask *lost_message() { return static_cast<FieldMask *>(MADE(filled(new FieldMask))); }
APART FieldMask *kept_message() { return static_cast<FieldMask *>(MADE(filled(new FieldMask))); }
APART FieldMask *freed_message() { return static_cast<FieldMask *>(MADE(filled(new FieldMask))); }
APART location *lost_numbers() { return static_cast<location *>(MADE(filled(new location))); }
APART location *kept_numbers() { return static_cast<location *>(MADE(filled(new location))); }

std::vector<void *> kept;
void *volatile forgotten;

} // namespace

extern "C" void messages(void)
{
	for (size_t i = 0; i < trial_number(SIZE); i++) {
		forgotten = lost_message();
		kept.push_back(kept_message());
		delete freed_message();
		forgotten = lost_numbers();
		kept.push_back(kept_numbers());
	}
	forgotten = nullptr;
	trial_held("kept_message", "global .*kept|block allocated in ");
	trial_held("kept_numbers", "global .*kept|block allocated in ");
}

namespace {

APART void *lost_arena()
{
	Arena *arena = new Arena;
	filled(Arena::CreateMessage<FieldMask>(arena));
	return MADE(arena);
}

APART void *kept_arena()
{
	Arena *arena = new Arena;
	filled(Arena::CreateMessage<FieldMask>(arena));
	return MADE(arena);
}

// A message is lost, and its arena has it.
APART void linked_in_arena(Arena *arena) { forgotten = MADE(filled(Arena::CreateMessage<FieldMask>(arena))); }

} // namespace

extern "C" void arenas(void)
{
	Arena *one = new Arena;
	kept.push_back(one);
	for (size_t i = 0; i < trial_number(SIZE); i++) {
		forgotten = lost_arena();
		kept.push_back(kept_arena());
		linked_in_arena(one);
	}
	forgotten = nullptr;
	trial_held("kept_arena", "global .*kept|block allocated in ");
}
