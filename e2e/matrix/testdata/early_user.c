/* A library that needs the address of a function of early.c as soon as it is relocated itself, which is before the program
   is. early.c cannot need it itself: its own calls are not bound yet then. */
int early_answer(void);
void early_use(void);

int (*volatile early)(void) = early_answer;

__attribute__((constructor)) static void use(void)
{
	if (early() == 42)
		early_use();
}
