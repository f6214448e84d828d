//! Codes of built variants: layout, metadata, digest.

codes! {
    /// The codes of artifacts.
    ALL;
    METADATA = "artifact/metadata", Check,
        means: "A variant's `metadata.json` is missing, unreadable or contradicts its files",
        example: "`id` in `metadata.json` differs from the library's name",
        remedy: "Build the variant again; a sealed directory must not be edited";
    UNREADABLE = "artifact/unreadable", Unreadable,
        means: "A file of a built variant could not be read",
        example: "a library without read permission",
        remedy: "Look at the path and the system's reason in the causes";
    LAYOUT = "artifact/layout", Check,
        means: "A built variant holds something that does not belong there, or lacks something that does",
        example: "a link to nothing, or no `__init__.py`",
        remedy: "Build the variant again; a sealed directory must not be edited";
    FOREIGN = "artifact/foreign", Check,
        means: "The place of a variant holds something that no build has made",
        example: "a directory `build/torch213-cxx11-cpu-x86_64-linux` with notes in it and no `metadata.json`",
        remedy: "Move it away, or remove it if nobody needs it";
    LIBRARY = "artifact/library", Check,
        means: "A file that should be a library is none",
        example: "an empty `_relu_cpu_….abi3.so`",
        remedy: "Build the variant again";
    NOTE = "artifact/note", Check,
        means: "A library does not hold exactly one readable provenance note",
        example: "a library from which `strip` removed the notes",
        remedy: "Build the variant again, and do not process its libraries afterwards";
}
