//! Codes of compiled libraries: whether a system other than the one that built them can load them.

codes! {
    /// The codes of the judge.
    ALL;
    UNREADABLE = "abi/unreadable", Unreadable,
        means: "A library could not be read",
        example: "a file without read permission",
        remedy: "Look at the system's reason in the causes and mend it; the library itself was not judged";
    NOT_AN_OBJECT = "abi/not-an-object", Check,
        means: "A file that should be a shared library is something else",
        example: "a linker script, a Git LFS pointer or an empty file named `kernel.abi3.so`",
        remedy: "Build the variant again, or fetch the real file";
    DAMAGED = "abi/damaged", Check,
        means: "A library ends too early or contradicts itself",
        example: "a download that broke off",
        remedy: "Build the variant again, or fetch the file again";
    NOT_SHARED = "abi/not-shared", Check,
        means: "An object file is not a shared library",
        example: "an unlinked `.o` file named `kernel.abi3.so`",
        remedy: "Link with `-shared`";
    MACHINE = "abi/wrong-architecture", Check,
        means: "A library was made for another processor or system than its variant names",
        example: "an x86_64 library in a variant for aarch64",
        remedy: "Build the variant for the system in its name, or correct the name";
}
