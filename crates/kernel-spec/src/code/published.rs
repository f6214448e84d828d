//! Codes of kernels that are published and named `OWNER/NAME@vN`.

codes! {
    /// The codes of published kernels.
    ALL;
    REVISION = "published/revision", Hub,
        means: "A repository does not have the version, branch or commit",
        example: "`variants acme/relu@v9`, where only `v1` is published",
        remedy: "Name a branch that the repository has, or a commit with all its digits";
    VARIANT = "published/variant", Check,
        means: "A published kernel has no such variant, or none at all",
        example: "`test acme/relu@v1 --variant torch-metal`, which nobody uploaded",
        remedy: "`kernel-builder variants OWNER/NAME@vN` lists what is published";
    UNSOUND = "published/unsound", Check,
        means: "A published variant is not what its metadata say, so nothing of it was run",
        example: "byte code, or a changed file, beside metadata with an older digest",
        remedy: "Tell the publisher; `kernel-builder hash OWNER/NAME@vN` lists what differs";
    UNLOADABLE = "published/unloadable", Check,
        means: "The loader takes a published variant and fails on it, or on a kernel that it depends on",
        example: "a variant whose `kernel-depends` names a repository that is not there",
        remedy: "Tell the publisher; another version, or a commit before the fault, may be whole";
    UNTRUSTED = "published/untrusted", Check,
        means: "Code of a publisher whom the loader does not trust would run",
        example: "`test somebody/relu@v1`",
        remedy: "Look at the code first; `--trust-remote-code` runs it all the same";
}
