/* A C program that is linked with the Go library. */
extern int core_run(char *arguments);

int main(int argc, char **argv)
{
	return core_run(argc > 1 ? argv[1] : "");
}
