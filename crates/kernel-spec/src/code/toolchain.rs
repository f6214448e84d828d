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
}
