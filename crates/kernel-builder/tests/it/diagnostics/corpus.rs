//! Broken sources. The fault is in the line that ends with `//!`; a line that the compiler must name too ends with `//?`.
//! Where there is no mark, the compiler tells of the whole source.

/// A source, and words of GCC and of clang about it.
pub(super) const CXX: &[(&str, &str, &str)] = &[
    ("int f() { return 1 } //!", "expected ';'", "expected ';' after return statement"),
    ("int f() { return missing; } //!", "'missing' was not declared", "undeclared identifier 'missing'"),
    ("int f();\nint g() { return f(1); } //!", "too many arguments", "no matching function for call to 'f'"),
    (
        "struct S { int a; };\nint f(S s) { return s.b; } //!",
        "'struct S' has no member named 'b'",
        "no member named 'b' in 'S'",
    ),
    (
        "template <class T> T f(T);\nstatic_assert(sizeof(int) == 1, \"narrow\"); //!",
        "narrow",
        "static assertion failed",
    ),
    ("#include \"nowhere.h\" //!", "nowhere.h", "'nowhere.h' file not found"),
    ("#error \"not here\" //!", "not here", "not here"),
    ("const int a = 1;\nvoid f() { a = 2; } //!", "read-only", "cannot assign to variable 'a'"),
    ("int* p = 1.5; //!", "cannot convert", "cannot initialize a variable of type 'int *'"),
    ("class C { int a; };\nint f(C c) { return c.a; } //!", "private", "'a' is a private member of 'C'"),
    ("void f() { break; } //!", "break statement not within", "'break' statement not in loop"),
    ("int a;\nfloat a; //!", "conflicting declaration", "redefinition of 'a' with a different type"),
    ("void f(int&);\nvoid g() { f(1); } //!", "cannot bind", "no matching function for call to 'f'"),
    (
        "void f(int);\nvoid f(long);\nvoid g() { f(\"x\"); } //!",
        "no matching function",
        "no matching function for call to 'f'",
    ),
    ("auto x; //!", "has no initializer", "requires an initializer"),
    ("int f() { int x[2]; return x.size(); } //!", "non-class type", "is not a structure or union"),
    (
        "namespace n {}\nusing n::missing; //!",
        "not been declared",
        "no member named 'missing' in namespace 'n'",
    ),
    ("struct A { A() = delete; };\nA a; //!", "deleted function", "call to deleted constructor of 'A'"),
    ("int f(int a, int a); //!", "redefinition of 'int a'", "redefinition of parameter 'a'"),
    ("void f() { goto end; } //!", "label 'end' used but not defined", "undeclared label 'end'"),
    (
        "template <class T> void f(T t) { t.missing(); } //!\nvoid g() { f(1); } //?",
        "request for member 'missing'",
        "member reference base type 'int' is not a structure or union",
    ),
    (
        "struct A { virtual void f() = 0; };\nA a; //!",
        "cannot declare variable 'a' to be of abstract type",
        "variable type 'A' is an abstract class",
    ),
];

/// A CUDA source, and words of nvcc, of the compiler behind it, or of ptxas.
pub(super) const NVCC: &[(&str, &str)] = &[
    ("__global__ void k(float* x) { x[0] = missing; } //!", "identifier \"missing\" is undefined"),
    ("__global__ int k() { return 1; } //!", "must have a void return type"),
    ("__global__ void k(int);\nvoid f() { k<<<1, 32>>>(); } //!", "too few arguments in function call"),
    ("__host__ void h();\n__global__ void k() { h(); } //!", "calling a __host__ function(\"h()\")"),
    ("__device__ int d;\n__global__ void k() { int* p = d; } //!", "cannot be used to initialize"),
    ("__global__ void k() { return } //!", "expected an expression"),
    ("#include \"nowhere.cuh\" //!", "nowhere.cuh: No such file"),
    ("#error \"not here\" //!", "not here"),
    ("__constant__ int c = 1;\n__global__ void k() { c = 2; } //!", "modifiable lvalue"),
    (
        "template <class T> __global__ void k(T) { static_assert(sizeof(T) == 1, \"narrow\"); } //!\n\
         void f() { k<<<1, 1>>>(1); } //?",
        "static assertion failed with \"narrow\"",
    ),
    ("__global__ void k() { __shared__ int s = 1; } //!", "initializer not allowed for __shared__"),
    ("class C { __global__ void k() {} }; //!", "cannot be a member function"),
    ("__global__ void k(double2 v, int* p) { atomicAdd(p, v); } //!", "no instance of overloaded function"),
    (
        "#include <cuda_fp16.h>\n__global__ void k(__half2 a) { float f = a; } //!",
        "no suitable conversion function",
    ),
    ("__launch_bounds__(1\n__global__ void k() {} //!", "unterminated argument list"),
    ("__global__ void k(...) {} //!", "cannot have ellipsis"),
    ("__global__ void k(float* x) { asm volatile(\"nonsense.f32 %0;\" : \"=f\"(x[0])); }", "'nonsense'"),
    ("__device__ void elsewhere();\n__global__ void k() { elsewhere(); }", "Unresolved extern function"),
];

/// A HIP source, and words of clang, of AMD's code generator, or of its linker.
pub(super) const HIP: &[(&str, &str)] = &[
    ("__global__ void k(float* x) { x[0] = missing; } //!", "undeclared identifier 'missing'"),
    ("__global__ int k() { return 1; } //!", "must have void return type"),
    ("__host__ void h(); //?\n__global__ void k() { h(); } //!", "no matching function for call to 'h'"),
    ("__global__ void k(int) {} //?\nvoid f() { k<<<1, 32>>>(); } //!", "too few arguments"),
    ("__global__ void k() { __shared__ int s = 1; } //!", "initialization is not supported"),
    ("struct C { __global__ void k() {} }; //!", "must be a free function"),
    (
        "__global__ void k(float* x) { asm volatile(\"nonsense %0\" : \"=v\"(x[0])); } //!",
        "invalid instruction",
    ),
    (
        "template <class T> __global__ void k(T) { static_assert(sizeof(T) == 1, \"narrow\"); } //!\n\
         void f() { k<<<1, 1>>>(1); } //?",
        "narrow",
    ),
    (
        "__global__ void k() { __shared__ int s[200000]; s[threadIdx.x] = 1; __syncthreads(); s[0] = s[threadIdx.x]; }",
        "local memory (800000) exceeds limit",
    ),
    ("__device__ void elsewhere();\n__global__ void k() { elsewhere(); }", "symbol: elsewhere()"),
];

/// A CUDA source, and words of clang about it. It needs no toolkit: what it stands for is defined here.
pub(super) const CLANG_CUDA: &[(&str, &str)] = &[
    ("GLOBAL void k(float* x) { x[0] = missing; } //!", "undeclared identifier 'missing'"),
    ("GLOBAL int k() { return 1; } //!", "must have void return type"),
    ("HOST void h(); //?\nGLOBAL void k() { h(); } //!", "no matching function for call to 'h'"),
    ("DEVICE void d() { SHARED int s = 1; } //!", "initialization is not supported"),
    ("struct C { GLOBAL void k() {} }; //!", "must be a free function"),
    ("DEVICE void d() { throw 1; } //!", "cannot use 'throw' in __device__ function"),
];
