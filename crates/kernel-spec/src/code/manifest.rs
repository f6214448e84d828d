//! Codes of `build.toml`: its syntax, its keys and what it says about the project's files.

codes! {
    /// The manifest's codes.
    ALL;
    NOT_FOUND = "manifest/not-found", Manifest,
        means: "The directory has no `build.toml`",
        example: "`kernel-builder build some/folder` where no `some/folder/build.toml` exists",
        remedy: "Give the directory of a kernel project, or make one with `kernel-builder init`";
    UNREADABLE = "manifest/unreadable", Unreadable,
        means: "`build.toml` is there, but it could not be read",
        example: "a `build.toml` that only another user may read, or that is a folder",
        remedy: "Make it a regular file that the user of this command may read";
    INVALID = "manifest/invalid", Manifest,
        means: "`build.toml` has faults; each is listed with its own code",
        example: "a misspelt key and a missing licence: both are reported in one run",
        remedy: "Mend the listed faults; `kernel-builder check` shows them again";
    SYNTAX = "manifest/syntax", Manifest,
        means: "The text is not valid TOML",
        example: "a string without its closing quote",
        remedy: "Mend the place that is pointed at; TOML is described at toml.io";
    ENCODING = "manifest/encoding", Manifest,
        means: "The file is not UTF-8",
        example: "a licence holder's name written in Latin-1",
        remedy: "Save the file as UTF-8";
    DUPLICATE = "manifest/duplicate", Manifest,
        means: "A table or key is given twice",
        example: "two `[general.hub]` tables",
        remedy: "Join the two or remove one";
    UNKNOWN_KEY = "manifest/unknown-key", Manifest,
        means: "A key or table that the format does not know",
        example: "`licence = \"MIT\"` for `license`",
        remedy: "Correct the spelling or remove the key";
    MISSING_KEY = "manifest/missing-key", Manifest,
        means: "A key or table that every manifest needs is missing",
        example: "`[general]` without `license`",
        remedy: "Add the key";
    TYPE = "manifest/type", Manifest,
        means: "A value is of another type than its key takes",
        example: "`src = \"a.cpp\"` where a list is expected",
        remedy: "Write a value of the expected type";
    VALUE = "manifest/value", Manifest,
        means: "A value is outside what its key takes",
        example: "`version = -1`",
        remedy: "Write a value in the range that is named";
    VERSION = "manifest/version", Manifest,
        means: "A text is not a version",
        example: "`minver = \"v2.9\"`",
        remedy: "Write dot-separated numbers, for example `2.9`";
    RANGE = "manifest/range", Manifest,
        means: "A lower bound lies above the upper one",
        example: "`minver = \"13.0\"` with `maxver = \"12.9\"`",
        remedy: "Exchange or correct the bounds; the upper one is inclusive";
    NAME = "manifest/name", Manifest,
        means: "The kernel's name does not follow the rule",
        example: "`name = \"My_Kernel\"`",
        remedy: "Use lower-case letters, digits and dashes, beginning with a letter";
    COMPONENT_NAME = "manifest/component-name", Manifest,
        means: "The name of a component cannot become a file name",
        example: "`[kernel.\"a/b\"]`",
        remedy: "Use letters, digits, `_`, `-` and `.`";
    BACKEND = "manifest/backend", Manifest,
        means: "A text is not a backend, or not one that can stand there",
        example: "`backends = [\"CUDA\"]`",
        remedy: "Use one of the names that are listed";
    NO_BACKENDS = "manifest/no-backends", Manifest,
        means: "The list of backends is empty, so nothing can be built",
        example: "`backends = []`",
        remedy: "List the backends to build for, for example `[\"cpu\"]`";
    UNDECLARED_BACKEND = "manifest/undeclared-backend", Manifest,
        means: "A component is for a backend that the kernel does not list",
        example: "`[kernel.x]` with `backend = \"rocm\"` and `backends = [\"cuda\"]`",
        remedy: "Add the backend to `general.backends`, or remove the component";
    EDITION = "manifest/edition", Manifest,
        means: "The edition of the file is not read, or lacks what the file uses",
        example: "`edition = 6`",
        remedy: "Write the file as edition 5; `kernel-builder migrate` does it for editions 3 and 4";
    FRAMEWORK = "manifest/framework", Manifest,
        means: "There is not exactly one framework section",
        example: "`[torch]` and `[tvm-ffi]` in one file",
        remedy: "Keep exactly one of `[torch]`, `[torch-noarch]` and `[tvm-ffi]`";
    DEPENDENCY = "manifest/dependency", Manifest,
        means: "A dependency is not one of those that are allowed",
        example: "`depends = [\"boost\"]`",
        remedy: "Use a dependency from the list, or bring the code into the project";
    KERNEL_REFERENCE = "manifest/kernel-reference", Manifest,
        means: "A dependency on a kernel does not say exactly one state of it",
        example: "`{ repo-id = \"a/b\" }`",
        remedy: "Give either `version` or `revision`";
    CAPABILITY = "manifest/capability", Manifest,
        means: "A GPU architecture is not known, or none is left",
        example: "`cuda-capabilities = [\"8.0\", \"11.8\"]`",
        remedy: "Correct or remove the architecture";
    LICENSE = "manifest/license", Manifest,
        means: "The licence is no identifier that the Hub or SPDX knows",
        example: "`license = \"Apache\"`",
        remedy: "Use an SPDX identifier such as `Apache-2.0`, or `other`";
    GIT_URL = "manifest/git-url", Manifest,
        means: "A text is not the address of a Git repository",
        example: "`source = \"file:///home/me/kernel\"`",
        remedy: "Write an address that others can use, for example `https://host/owner/name`";
    REPO_ID = "manifest/repo-id", Manifest,
        means: "A text is not the name of a repository on the Hub",
        example: "`repo-id = \"relu\"`",
        remedy: "Write `owner/name` with letters, digits, `-`, `_` and `.`";
    PATH = "manifest/path", Manifest,
        means: "A path leads out of the project or cannot be used",
        example: "`src = [\"../common/a.cpp\"]`",
        remedy: "List files of the project, relative to it and with `/`";
    EXTENSION = "manifest/extension", Manifest,
        means: "An entry of `pyext` is no file extension",
        example: "`pyext = [\".py\"]`",
        remedy: "Write extensions without the dot, for example `json`";
    REPEATED = "manifest/repeated", Manifest,
        means: "Something is listed twice in one list",
        example: "`src = [\"a.cpp\", \"./a.cpp\"]`",
        remedy: "Remove the second one";
    TOO_LARGE = "manifest/too-large", Manifest,
        means: "The file is larger than any manifest",
        example: "a `build.toml` that is a link to a data set",
        remedy: "See what the file is; a manifest is a short text";
}
