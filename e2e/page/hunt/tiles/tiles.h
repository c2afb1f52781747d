#ifdef __cplusplus
extern "C" {
#endif
int tiles_get(int n);
#ifdef __cplusplus
}
#endif
