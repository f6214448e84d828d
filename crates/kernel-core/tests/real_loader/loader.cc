// Gives changed copies of a library to the loader, each in a process of its own, as Python does: loads it, calls its entry point,
// and ends. Usage: loader LIBRARY FUNCTION < MUTANTS, one line "OFFSET SIZE VALUE" each; prints one line "OUTCOME DETAIL" for each.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

struct Shared {
    int stage;  // 0 loading, 1 loaded, 2 entry found, 3 called
    char detail[400];
};

static void child(const std::vector<char> &library, const char *entry, long at, int size, unsigned long value, Shared *shared) {
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // Time of the processor, so that a busy machine changes nothing, and an end for what waits.
    itimerval limit = {{0, 0}, {0, 400000}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    alarm(20);
    int null = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) dup2(null, descriptor);
    int file = memfd_create("mutant", 0);
    if (file < 0 || write(file, library.data(), library.size()) != (long)library.size() || (at >= 0 && pwrite(file, &value, size, at) != size)) _exit(99);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(shared->detail, sizeof shared->detail, "%s", dlerror());
        _exit(1);
    }
    shared->stage = 1;
    auto call = (int (*)())dlsym(handle, entry);
    if (!call) {
        snprintf(shared->detail, sizeof shared->detail, "%s", dlerror());
        _exit(2);
    }
    shared->stage = 2;
    int wrong = call();
    shared->stage = 3;
    if (wrong) {
        snprintf(shared->detail, sizeof shared->detail, "tests %d", wrong);
        _exit(3);
    }
    exit(0);
}

int main(int, char **arguments) {
    // What the library takes is in the process before, as in Python's, and exceptions have gone their way once.
    try { throw std::runtime_error(std::string(arguments[1])); } catch (const std::exception &) {}
    std::vector<char> library;
    FILE *file = fopen(arguments[1], "rb");
    for (int byte; (byte = fgetc(file)) != EOF;) library.push_back((char)byte);
    fclose(file);
    auto shared = (Shared *)mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    long at;
    int size;
    unsigned long value;
    while (scanf("%ld %d %lu", &at, &size, &value) == 3) {
        memset((void *)shared, 0, sizeof *shared);
        fflush(stdout);
        pid_t process = fork();
        if (process == 0) child(library, arguments[2], at, size, value, shared);
        int status = 0;
        waitpid(process, &status, 0);
        shared->detail[sizeof shared->detail - 1] = 0;
        for (char *letter = shared->detail; *letter; ++letter)
            if ((unsigned char)*letter < 32) *letter = '?';
        const char *outcome = "fine";
        char detail[500] = "";
        if (WIFSIGNALED(status)) {
            int stage = shared->stage & 3;
            const char *stages[] = {"crashed-loading", "crashed-searching", "crashed-called", "crashed-ending"};
            outcome = stages[stage];
            snprintf(detail, sizeof detail, "%s", strsignal(WTERMSIG(status)));
        } else if (WEXITSTATUS(status) != 0) {
            // The loader ends the process itself at some faults, with 127.
            int stage = shared->stage & 3;
            const char *stages[] = {"refused", "not-found", "ended-called", "wrong"};
            outcome = stages[stage];
            snprintf(detail, sizeof detail, "%s (%d)", shared->detail, WEXITSTATUS(status));
        }
        printf("%s %s\n", outcome, detail);
    }
    return 0;
}
