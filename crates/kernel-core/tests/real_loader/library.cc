// Uses what a loader does for a library: calls and data of others, pointers, virtual functions, variables of threads, functions
// chosen at loading, code at the start and the end, exceptions. The entry point returns 0, or which of its tests failed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdexcept>
#include <string>

#define ENTRY extern "C" __attribute__((visibility("default")))

struct Shape {
    virtual int corners() const { return 0; }
    virtual ~Shape() {}
};
struct Square : Shape {
    int corners() const override { return 4; }
};

static int number = 5;
static int other = 6;
static int *volatile pointers[] = {&number, &other, &number};
static size_t (*volatile length)(const char *) = strlen;
thread_local int kept = 3;
thread_local int cleared;
static int started;

struct Start {
    char *text;
    Start() : text(strdup("begun")) { started = 7; }
    ~Start() { free(text); }
};
static Start start;

extern "C" int wished_for() __attribute__((weak));

static int six() { return 6; }
extern "C" {
static int (*choose())() { return six; }
}
static int chosen() __attribute__((ifunc("choose")));

static __attribute__((noinline)) void fail(int reason) {
    if (reason == 1) throw std::runtime_error("reason");
    throw reason;
}

static __attribute__((noinline)) int caught(int reason) {
    std::string text("kept");
    try {
        fail(reason);
    } catch (const std::runtime_error &error) {
        return error.what()[0] == 'r' ? 1 : -1;
    } catch (int thrown) {
        return thrown;
    }
    return -2;
}

static __attribute__((noinline)) Shape *make(int which) { return which ? new Square : new Shape; }

ENTRY int PyInit__relu_cpu_x() {
    char text[32];
    int wrong = 0;
    if (*pointers[0] != 5 || *pointers[1] != 6 || pointers[2] != pointers[0]) wrong |= 1;
    if (length("four") != 4) wrong |= 2;
    if (kept != 3 || cleared != 0 || (kept = 9, cleared = 8, kept + cleared) != 17) wrong |= 4;
    if (started != 7 || strcmp(start.text, "begun")) wrong |= 8;
    if (wished_for) wrong |= 16;
    if (chosen() != 6) wrong |= 32;
    if (caught(1) != 1 || caught(7) != 7) wrong |= 64;
    Shape *shape = make(1);
    if (shape->corners() != 4 || !dynamic_cast<Square *>(shape)) wrong |= 128;
    delete shape;
    snprintf(text, sizeof text, "%d", 12);
    if (strcmp(text, "12") || !stdout) wrong |= 256;
    return wrong;
}
