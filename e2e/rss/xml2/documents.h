#pragma once

void documents_prepare(void);

// Returns -1 if a document cannot be parsed, searched or written.
int documents_round(int thread);
