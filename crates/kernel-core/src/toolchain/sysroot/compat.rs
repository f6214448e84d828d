//! The compatibility members as sources to render into a build; `compat/README.md` says what they are for.

/// The files, by name: one header, and the C files that become one archive member each.
pub const SOURCES: &[(&str, &str)] = &[
    ("hidden.h", include_str!("compat/hidden.h")),
    ("assertions.c", include_str!("compat/assertions.c")),
    ("brain_floats.c", include_str!("compat/brain_floats.c")),
    ("clocks.c", include_str!("compat/clocks.c")),
    ("exceptions.c", include_str!("compat/exceptions.c")),
    ("files.c", include_str!("compat/files.c")),
    ("numbers.c", include_str!("compat/numbers.c")),
    ("processes.c", include_str!("compat/processes.c")),
    ("random.c", include_str!("compat/random.c")),
    ("streams.c", include_str!("compat/streams.c")),
    ("threads.c", include_str!("compat/threads.c")),
    ("types.c", include_str!("compat/types.c")),
];

/// How each C file is compiled. Exceptions and thread cancellation pass through these frames, so they need unwind
/// tables; every flag that a distribution may default is stated.
pub const FLAGS: &[&str] = &[
    "-x",
    "c",
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-fvisibility=hidden",
    "-fexceptions",
    "-fasynchronous-unwind-tables",
    "-fno-lto",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
];
