//! Codes of fetched toolchain parts.

codes! {
    /// The codes of the store.
    ALL;
    PART = "toolchain/part", Usage,
        means: "A text names no part that can be fetched",
        example: "`kernel-builder toolchain fetch cuda-11.8`, of which there are no wheels",
        remedy: "Name a part with its version, such as `cuda-13.2`, `torch-2.13` or `tvm-ffi-0.1`";
    OFFLINE = "toolchain/offline", Environment,
        means: "A part is needed that was not fetched yet, and the network is forbidden",
        example: "`build --offline` of a CUDA variant on a machine without CUDA",
        remedy: "Run `kernel-builder toolchain fetch` for that part once with the network";
    RESOLVER = "toolchain/resolver", Environment,
        means: "The wheels that make a part were not found",
        example: "a machine without uv, without network, or an index without the package",
        remedy: "Look at the reason; indexes are configured as for uv, which is installed with `pip install uv`";
    WHEEL = "toolchain/wheel", Environment,
        means: "A wheel is damaged: it is no archive, or a file in it is not what its list of files says",
        example: "a mirror that serves a page of its own instead of the wheel",
        remedy: "Fetch it again; if it stays so, look at the index and at proxies on the way";
    LOCK = "toolchain/lock", Manifest,
        means: "`kernel-builder.lock` cannot be read, or is none",
        example: "a merge that left its marks in the file",
        remedy: "Restore it, or remove it and write it again with `kernel-builder toolchain lock`";
    NO_LOCK = "toolchain/no-lock", Manifest,
        means: "`--locked` asks for a lock, and the project has none",
        example: "`kernel-builder build --locked` in a new project",
        remedy: "Write it with `kernel-builder toolchain lock` and keep it under version control";
    NOTHING_TO_LOCK = "toolchain/nothing-to-lock", Manifest,
        means: "A lock is asked for, and nothing of the project is compiled",
        example: "`kernel-builder toolchain lock` in a project with a `[torch-noarch]` section",
        remedy: "Nothing needs to be done: such variants are the same wherever they are made";
    UNLOCKED = "toolchain/unlocked", Environment,
        means: "What a variant is compiled with is not what `kernel-builder.lock` says; an error with `--locked`, or where a part cannot be had by its hash",
        example: "another patch level of GCC than on the machine that wrote the lock",
        remedy: "Build where the locked compiler is, or write the lock again with `kernel-builder toolchain lock`";
    CHANGED = "toolchain/changed", Environment,
        means: "A fetched part is no longer what was fetched",
        example: "a header in the store that somebody edited",
        remedy: "Remove it with `kernel-builder toolchain gc`; a build fetches it again";
}
