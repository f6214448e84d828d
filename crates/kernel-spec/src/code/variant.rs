//! Codes of variant names, the matrix and the selection of variants.

codes! {
    /// The codes of variants.
    ALL;
    UNKNOWN = "variant/unknown", Manifest,
        means: "The project has no variant of this name",
        example: "`build --variant torch213-cxx11-cu999-x86_64-linux`",
        remedy: "List the variants with `kernel-builder variants`";
}
