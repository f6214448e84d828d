//! Codes of built variants: layout, metadata, digest.

codes! {
    /// The codes of artifacts.
    ALL;
    METADATA = "artifact/metadata", Check,
        means: "A variant's `metadata.json` is missing, unreadable or contradicts its files",
        example: "`id` in `metadata.json` differs from the library's name",
        remedy: "Build the variant again; a sealed directory must not be edited";
}
