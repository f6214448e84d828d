//! Codes of linking for old systems.

codes! {
    /// The codes of links.
    ALL;
    SYSROOT = "link/sysroot", Environment,
        means: "The stub libraries that kernels are linked to could not be written",
        example: "a cache directory on a read-only file system",
        remedy: "Make the cache directory writable, or name another in `KERNEL_BUILDER_CACHE_DIR`";
    UNDEFINED = "link/undefined-symbol", Build,
        means: "The kernel calls something that no library of the target systems has, so loading it would fail",
        example: "a call of `tgkill`, which came with glibc 2.30, in a kernel for manylinux_2_28",
        remedy: "Add the source or library that defines it to the manifest, or avoid the call";
    STATEFUL = "link/stateful-member", Build,
        means: "A part of the static libstdc++ that holds global state would be linked into the kernel",
        example: "two copies of the locale tables in one process, which corrupt `std::regex` and streams",
        remedy: "Avoid the function that needs it, or build for newer systems with `--policy`";
    OWN_STATE = "link/own-state", Build,
        means: "The kernel carries its own copy of a small piece of libstdc++'s state, because old systems have none",
        example: "`std::pmr::set_default_resource` in one kernel, which another kernel does not see",
        remedy: "Nothing, unless the kernel relies on sharing that state with another library";
    ARCHIVE_MISSING = "link/archive-missing", Environment,
        means: "The kernel needs a newer part of libstdc++ than the target has, and the compiler has no static libstdc++",
        example: "`std::filesystem` in a kernel for manylinux_2_28, built where `libstdc++.a` is not installed",
        remedy: "Install the static C++ library (Fedora: `libstdc++-static`), or avoid the newer function";
    UNREADABLE = "link/unreadable", Build,
        means: "A file that a link left or took cannot be read, so the result cannot be judged",
        example: "a `libstdc++.a` that was replaced by an upgrade while a build ran",
        remedy: "Build again; where it stays, install the compiler's C++ library or Torch again";
}
