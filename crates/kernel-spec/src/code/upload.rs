//! Codes of publishing: what an upload refuses before it asks the Hub anything, and what it remarks.

codes! {
    /// The codes of publishing.
    ALL;
    PREFLIGHT = "upload/preflight", Check,
        means: "The built variants are not fit to be published",
        example: "a variant of an uncommitted tree beside one that fails its checks",
        remedy: "Mend what the findings name";
    DIRTY = "upload/dirty", Check,
        means: "It is not known which committed sources a variant was built from",
        example: "a build with uncommitted changes, or outside git",
        remedy: "Commit and build again; `--allow-dirty` publishes it all the same";
    UNSANDBOXED = "upload/unsandboxed", Check,
        means: "A variant was compiled without a sandbox, so anything on the machine may have got into it",
        example: "`build --sandbox off`",
        remedy: "Build again where the sandbox works; `--allow-unsandboxed` publishes it all the same";
    HOST_TOOLCHAIN = "upload/host-toolchain", Check,
        means: "A variant was compiled with the machine's own compiler, so others cannot build the same again",
        example: "`build` with the `g++` of a distribution",
        remedy: "Write down what it is with `kernel-builder toolchain lock`, and add `--allow-host-toolchain`: the compiler itself cannot be fetched yet";
    DEVELOPMENT = "upload/dev", Check,
        means: "A variant was built for development, and those are never published",
        example: "`build --dev`",
        remedy: "Build it again without `--dev`";
    NO_DIGEST = "upload/no-digest", Check,
        means: "A variant has no digest, so nobody could tell whether its files are those that were built",
        example: "a variant whose `metadata.json` was written by hand",
        remedy: "Build the variant again, or write the digest with `kernel-builder hash`";
    MIXED = "upload/mixed", Check,
        means: "The variants are not of one commit, one name, one rule of ids and one `kernel-builder.lock`",
        example: "a CPU variant of yesterday beside a CUDA variant of today",
        remedy: "Build all of them from one commit; `--allow-mixed` publishes them all the same";
    VERSIONS = "upload/versions", Check,
        means: "The variants, the manifest and the branch do not all name one version",
        example: "`version = 2` in `build.toml`, and variants built as version 1",
        remedy: "Build the variants again after changing the version";
    TESTS = "upload/tests", Check,
        means: "The last test run of a variant failed",
        example: "`upload` after a `test` that reported a failure",
        remedy: "Mend the kernel, build and test it again; `--allow-failed-tests` publishes it all the same";
    MISSING = "upload/missing", Check,
        means: "Variants that the project promises are neither uploaded nor published already",
        example: "only the CPU variant of a project that also declares `cuda`",
        remedy: "Build and upload them too, on other machines where needed; or remove the backend from `build.toml`";
    VERSION_DUE = "upload/version-due", Check,
        means: "The public functions changed in a way that breaks callers, and the version did not",
        example: "a function that left `__all__`, or has a new parameter without a default",
        remedy: "Raise `version` in `build.toml`, so that users of the old one keep what they have";
    VERSION_UNKNOWN = "upload/version-unknown", Check,
        means: "What is published under this version cannot be compared with what replaces it",
        example: "a published Python file that does not parse, or a package that no longer has `__all__`",
        remedy: "Compare the public functions yourself, and raise `version` in `build.toml` where callers may break";
    README = "upload/readme", Check,
        means: "The card cannot be merged into the `README.md` that is on `main`",
        example: "a `README.md` of 30 MB, or one that is not UTF-8",
        remedy: "Mend that file on the Hub, or publish without a card: move `build/CARD.md` away";
    VISIBILITY = "upload/visibility", Check,
        means: "The repository is there already, and not as visible as the command says",
        example: "`upload --private` to a repository that everybody can see",
        remedy: "Change the visibility in the settings of the repository, or publish without `--private`, which makes new ones private";
    LIMIT = "upload/limit", Check,
        means: "The upload goes beyond what the Hub says it takes",
        example: "a folder of 20,000 files",
        remedy: "Split what is too large, or put it into several folders";
    UNFINISHED = "upload/unfinished", Check,
        means: "Branches are there on which earlier uploads prepared a new version and did not end",
        example: "an `upload` that was killed before the version was complete",
        remedy: "Nothing reads them. An upload to the same branch removes them, once that branch is there";
    TARGET = "upload/target", Usage,
        means: "It is not known which repository to publish to",
        example: "`upload` in a project without `[general.hub]`, and without `--repo-id`",
        remedy: "Give `--repo-id OWNER/NAME`, or write `repo-id` into `[general.hub]` of `build.toml`";
    OUTPUT_JSON = "upload/output-json", Usage,
        means: "The answer cannot be written where `--output-json` says, and nothing was sent",
        example: "`upload --output-json build.toml`, which holds something else than an earlier answer",
        remedy: "Name a file that is not there yet, that is empty, or that an earlier upload wrote; not in a variant";
    NO_BRANCH = "upload/no-branch", Hub,
        means: "A change is proposed to a branch that does not exist",
        example: "`upload --create-pr` for the first variant of version 2",
        remedy: "Ask a maintainer of the repository to publish that version first";
}
