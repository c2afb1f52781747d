//go:build leaks

#include "trial.h"

void slices(void);
void messages(void);
void arenas(void);
void strings(void);

const struct trial_case trial_cases[] = {{"glib_slice", slices}, {"protobuf_message", messages}, {"protobuf_arena", arenas}, {"ruby_string", strings}, {0}};
