//! Codes of compiled libraries: whether a system other than the one that built them can load them.

codes! {
    /// The codes of the judge.
    ALL;
    UNREADABLE = "abi/unreadable", Unreadable,
        means: "A library could not be read",
        example: "a file without read permission",
        remedy: "Look at the system's reason in the causes and mend it; the library itself was not judged";
    NOTHING = "abi/nothing-to-check", NothingVerified,
        means: "There is no built variant where one was looked for",
        example: "`kernel-builder check-abi` in a project that was not built",
        remedy: "Build first, or give the directory that holds the variants: it, its `build` and its `result` are looked at";
    NOT_AN_OBJECT = "abi/not-an-object", Check,
        means: "A file that should be a shared library is something else",
        example: "a linker script, a Git LFS pointer or an empty file named `kernel.abi3.so`",
        remedy: "Build the variant again, or fetch the real file";
    DAMAGED = "abi/damaged", Check,
        means: "A library ends too early or contradicts itself",
        example: "a download that broke off, or a table that `objcopy -R` emptied while the loader goes on to read it",
        remedy: "Build the variant again, or fetch the file again";
    NOT_SHARED = "abi/not-shared", Check,
        means: "An object file is not a shared library",
        example: "an unlinked `.o` file named `kernel.abi3.so`",
        remedy: "Link with `-shared`";
    MACHINE = "abi/wrong-architecture", Check,
        means: "A library was made for another processor or system than its variant names",
        example: "an x86_64 library in a variant for aarch64",
        remedy: "Build the variant for the system in its name, or correct the name";
    NOT_LOADABLE = "abi/not-loadable", Check,
        means: "The system's loader refuses a file before it looks at what the library needs",
        example: "a library whose dynamic segment a tool removed, or one for aarch64 that was linked for pages of 4 KiB only",
        remedy: "Build the variant again without flags that change its layout, and do not process its libraries afterwards";
    SYMBOL_VERSION = "abi/symbol-version", Check,
        means: "A library needs a version of a system library that the policy's oldest system does not have",
        example: "`std::filesystem` of a new libstdc++, version `GLIBCXX_3.4.26`, under manylinux_2_28",
        remedy: "Build with `--policy manylinux_2_28`, which links against what old systems have";
    VERSION_NODE = "abi/version-node", Check,
        means: "A library needs a version of a system library that no published release offers to programs",
        example: "`GLIBC_PRIVATE`, which only glibc's own parts may use",
        remedy: "Find what uses the named symbols and replace it by a public function";
    NEEDED = "abi/needed-library", Check,
        means: "A library needs another one that neither the policy nor the framework or backend provides",
        example: "`libopenblas.so.0`, which most machines do not have",
        remedy: "Link it statically or do without it; a kernel may need system, framework and backend libraries only";
    FORBIDDEN = "abi/forbidden-symbol", Check,
        means: "A library takes a symbol from a system library that some systems of the policy lack",
        example: "`_tr_init` of `libz.so.1`, an internal function that distributions hide",
        remedy: "Use a public function instead, or link the library statically";
    UNDEFINED = "abi/undefined-symbol", Check,
        means: "A library uses a name that nothing in the process of its variant defines, so it cannot be loaded",
        example: "a function whose source is not in the manifest, or `arc4random` linked without its version",
        remedy: "Add the source or library that defines it, or avoid the call; `kernel-builder build` finds it when it links";
    SEARCH_PATH = "abi/search-path", Check,
        means: "A library tells the system's loader where to look for others",
        example: "an `RPATH` into the directory in which the kernel was built",
        remedy: "Link without `-rpath`, or remove it with `patchelf --remove-rpath`; what a kernel needs is loaded already";
    EXECUTABLE_STACK = "abi/executable-stack", Check,
        means: "Loading a library makes the stack executable, which glibc refuses since 2.41",
        example: "assembly without a `.note.GNU-stack` section, or nested functions whose address is taken",
        remedy: "Add `.section .note.GNU-stack,\"\",@progbits` to hand-written assembly and link with `-Wl,-z,noexecstack`";
    TEXT_RELOCATIONS = "abi/text-relocations", Check,
        means: "Loading a library writes into its code, which hardened systems refuse",
        example: "an object compiled without `-fPIC` in a shared library",
        remedy: "Compile every object with `-fPIC`, and use position-independent addressing in assembly";
    WRITABLE_CODE = "abi/writable-code", Check,
        means: "A segment of a library is writable and executable at once, which hardened systems refuse",
        example: "linking with `-Wl,-N` or with a linker script that puts everything into one segment",
        remedy: "Link without `-N` and with the linker's own script";
    THREAD_STORAGE = "abi/thread-storage", Check,
        means: "A library takes the storage of its threads from the little that a process sets aside when it starts",
        example: "`-ftls-model=initial-exec`: `cannot allocate memory in static TLS block`",
        remedy: "Compile thread-local variables with the default model, which a library may use without limit";
    LOADER_REQUEST = "abi/loader-request", Check,
        means: "A library asks the system's loader for more than to load it and what it needs",
        example: "linking with `-Wl,--auxiliary` or `-z nodlopen`",
        remedy: "Link without the named option";
    STATIC_LIBSTDCXX = "abi/static-libstdcxx", Check,
        means: "A library carries its own copy of libstdc++'s global state beside the shared one of its process",
        example: "linking with `-static-libstdc++`: two copies of the locales make `std::regex` crash",
        remedy: "Link without `-static-libstdc++`; the default policy links the shared libstdc++ for old systems";
    SHARED_STATE = "abi/shared-state", Check,
        means: "A library exports data that all libraries of a process share, so two kernels change each other's state",
        example: "a static member of a template, exported with unique binding",
        remedy: "Compile with `-fvisibility=hidden -fno-gnu-unique` and export the entry points only";
    EXPORTS = "abi/exports", Check,
        means: "A library exports more than its entry points, so its functions can replace another library's",
        example: "a helper function with default visibility",
        remedy: "Link with a version script that keeps only the entry points, as `kernel-builder build` does";
    ENTRY_POINT = "abi/entry-point", Check,
        means: "A library does not export the function by which its framework loads it",
        example: "`PyInit_…` without default visibility, or the same name for a variable",
        remedy: "Export `PyInit_` with the library's name, or for tvm-ffi a `__tvm_ffi_` function; `kernel-builder build` does";
    INSTRUCTION_SET = "abi/instruction-set", Check,
        means: "A library says that it needs a newer processor than its architecture's baseline",
        example: "linking with `-z x86-64-v3`",
        remedy: "Compile for the baseline and choose faster code at run time";
    PYTHON_API = "abi/python-api", Check,
        means: "A library uses functions of Python that its oldest Python does not promise",
        example: "`PyType_GetDict`, or anything outside the limited API",
        remedy: "Define `Py_LIMITED_API` and use what it offers for the oldest Python that the kernel supports";
    TORCH_ABI = "abi/torch-abi", Check,
        means: "A library of a stable-ABI variant uses functions of Torch that its oldest Torch does not promise",
        example: "`torch_exception_get_what` in a variant for Torch 2.11, or any C++ function of `at::`",
        remedy: "Define `TORCH_TARGET_VERSION` to the variant's version and include headers of `torch/csrc/stable` only";
    MACOS_VERSION = "abi/macos-version", Check,
        means: "A library needs a newer macOS than it should",
        example: "a library built without a deployment target on the newest macOS",
        remedy: "Set `MACOSX_DEPLOYMENT_TARGET` to the oldest macOS that the kernel supports";
    NIX_STORE = "abi/nix-store-path", Check,
        means: "A library contains paths into a Nix store, which other machines do not have",
        example: "a data directory compiled in by a dependency",
        remedy: "Find the dependency by the named path and build it without such a default";
    BUILD_PATH = "abi/build-path", Check,
        means: "A library contains paths of the machine that built it, so it differs from machine to machine",
        example: "`__FILE__` in an assertion, compiled by absolute path",
        remedy: "Compile by relative path, or with `-ffile-prefix-map=$PWD=.`";
    GPU_ARCHITECTURE = "abi/gpu-architecture", Check,
        means: "The GPU code in a library is not what its metadata promises",
        example: "`9.0a` in `backend.archs` and no code for it inside",
        remedy: "Build the variant again; a compiler flag may have replaced the planned architectures";
}
