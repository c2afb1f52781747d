int shop_search(int n);
int shop_login(int n);
int shop_checkout(int n);
int shop_invoice(int n);
int shop_stock(int n);
