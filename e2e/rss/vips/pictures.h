#pragma once

// Each returns -1 if libvips fails, which has then printed why.
int pictures_begin(void);
int pictures_round(void);
