int decode_batch(int n);
