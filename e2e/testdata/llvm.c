/* Code that LLVM makes, as a database does from a query. LLVM lists it for GDB. The declarations are from llvm-c, whose
   headers need not be installed. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define TARGET(what) LLVMInitializeX86##what
#else
#define TARGET(what) LLVMInitializeAArch64##what
#endif

struct options {
	unsigned level;
	int code_model, keep_frame_pointers, fast;
	void *memory;
};

void TARGET(TargetInfo)(void), TARGET(Target)(void), TARGET(TargetMC)(void), TARGET(AsmPrinter)(void);
void LLVMLinkInMCJIT(void);
void *LLVMContextCreate(void);
void *LLVMCreateMemoryBufferWithMemoryRangeCopy(const char *, size_t, const char *);
int LLVMParseIRInContext(void *context, void *buffer, void **module, char **error);
void LLVMInitializeMCJITCompilerOptions(struct options *, size_t);
int LLVMCreateMCJITCompilerForModule(void **engine, void *module, struct options *, size_t, char **error);
void *LLVMGetNamedFunction(void *module, const char *);
void LLVMAddGlobalMapping(void *engine, void *function, void *address);
uint64_t LLVMGetFunctionAddress(void *engine, const char *);
void LLVMDisposeExecutionEngine(void *engine);

static const char program[] =
	"declare i64 @query_allocate(i64)\n"
	"define i64 @_ZN5query4leafEm(i64 %s) noinline { %p = call i64 @query_allocate(i64 %s) ret i64 %p }\n"
	"define i64 @_ZN5query6middleEm(i64 %s) noinline { %p = call i64 @_ZN5query4leafEm(i64 %s) ret i64 %p }\n"
	"define void @query_run(i64 %n) {\n"
	"start: br label %loop\n"
	"loop: %i = phi i64 [0, %start], [%next, %loop]\n"
	"%p = call i64 @_ZN5query6middleEm(i64 1009)\n"
	"%next = add i64 %i, 1 %done = icmp uge i64 %next, %n br i1 %done, label %end, label %loop\n"
	"end: ret void }\n";

static void *engine;
static void (*run)(uint64_t);
static void *volatile kept;

__attribute__((noinline, used)) uint64_t query_allocate(uint64_t size)
{
	free(kept);
	kept = malloc(size);
	return (uintptr_t)kept;
}

static void check(int failed, const char *error)
{
	if (failed) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
}

/* void *query_compile(size_t ignored) */
void *query_compile(size_t ignored)
{
	void *module, *buffer;
	char *error = NULL;
	struct options options;
	(void)ignored;
	LLVMLinkInMCJIT();
	TARGET(TargetInfo)(), TARGET(Target)(), TARGET(TargetMC)(), TARGET(AsmPrinter)();
	buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(program, sizeof program - 1, "query");
	check(LLVMParseIRInContext(LLVMContextCreate(), buffer, &module, &error), error);
	LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
	options.keep_frame_pointers = 1;
	check(LLVMCreateMCJITCompilerForModule(&engine, module, &options, sizeof options, &error), error);
	LLVMAddGlobalMapping(engine, LLVMGetNamedFunction(module, "query_allocate"), (void *)query_allocate);
	run = (void (*)(uint64_t))LLVMGetFunctionAddress(engine, "query_run");
	return NULL;
}

/* void *query_execute(size_t times): allocates that often. */
__attribute__((noinline)) void *query_execute(size_t times)
{
	run(times);
	__asm__ volatile("");
	return NULL;
}

/* void *query_dispose(size_t ignored): frees the code. */
void *query_dispose(size_t ignored)
{
	(void)ignored;
	LLVMDisposeExecutionEngine(engine);
	return NULL;
}
