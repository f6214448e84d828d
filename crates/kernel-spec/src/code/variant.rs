//! Codes of variant names, the matrix and the selection of variants.

codes! {
    /// The codes of variants.
    ALL;
    UNKNOWN = "variant/unknown", Manifest,
        means: "The project has no variant of this name",
        example: "`build --variant torch213-cxx11-cu999-x86_64-linux`",
        remedy: "List the variants with `kernel-builder variants`";
    MATRIX = "variant/matrix", Manifest,
        means: "The user's own matrix file is faulty",
        example: "a `[[torch]]` row for `cuda` without `toolkits` in the file that `KERNEL_BUILDER_MATRIX` names",
        remedy: "Mend the file, or take it away to use the matrix that comes with the program";
    MACHINE = "variant/machine", Manifest,
        means: "The description of a machine cannot be read",
        example: "`variants --env machine.toml` where the file has no `os`",
        remedy: "Write a table with `cpu`, `os`, `python`, `tvm-ffi` and `[torch]` with `version` and, as far as it was compiled for it, `cuda`, `rocm` or `xpu`";
    NONE_HERE = "variant/none-here", Manifest,
        means: "This machine can build no variant of the project that it could also load",
        example: "`build` of a kernel for CUDA alone on a machine without it",
        remedy: "Name a variant with `--variant`; `kernel-builder variants --explain` says what this machine accepts";
}
