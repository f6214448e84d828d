//! Codes of `build.toml`: its syntax, its keys and what it says about the project's files.

codes! {
    /// The manifest's codes.
    ALL;
    NOT_FOUND = "manifest/not-found", Manifest,
        means: "The directory has no `build.toml`",
        example: "`kernel-builder build some/folder` where no `some/folder/build.toml` exists",
        remedy: "Give the directory of a kernel project, or make one with `kernel-builder init`";
    INVALID = "manifest/invalid", Manifest,
        means: "`build.toml` has faults; each is listed with its own code",
        example: "a misspelt key and a missing licence: both are reported in one run",
        remedy: "Mend the listed faults; `kernel-builder check` shows them again";
}
