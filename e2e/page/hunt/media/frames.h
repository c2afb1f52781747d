int frames_upload(int n);
int frames_probe(int n);
