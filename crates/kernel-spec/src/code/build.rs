//! Codes of compiling and linking.

codes! {
    /// The codes of builds.
    ALL;
    COMPILE = "build/compile", Build,
        means: "A compiler rejected a source",
        example: "a missing semicolon in `relu_cpu/relu.cpp`",
        remedy: "The compiler's own message comes first in the output; mend the source it names";
}
