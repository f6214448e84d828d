//! Codes of the files a kernel is made of.

codes! {
    /// The codes of inputs.
    ALL;
    MISSING = "inputs/missing", Manifest,
        means: "A listed source, or the Python package, is not there",
        example: "`src = [\"relu_cpu/relu.cpp\"]` where no such file exists",
        remedy: "Correct the path in `build.toml`, or add the file";
    OUTSIDE = "inputs/outside", Manifest,
        means: "A file of the kernel is not inside the project",
        example: "`#include \"/usr/local/include/mine.h\"`, or a link to a file elsewhere",
        remedy: "Copy the file into the project; a kernel must build wherever its project is";
    COMPUTED_INCLUDE = "inputs/computed-include", Manifest,
        means: "The name of an included file is computed by a macro, so it is not known before compiling",
        example: "`#include CONFIG_HEADER`",
        remedy: "List the files it can mean in `src`; what is listed is always part of the kernel";
    RESERVED = "inputs/reserved", Manifest,
        means: "A file of the package has a name that kernel-builder writes itself",
        example: "`torch-ext/relu/_ops.py`, left there by another tool",
        remedy: "Remove the file; the generated one takes its place in every variant";
    UNUSABLE = "inputs/unusable", Manifest,
        means: "Files of the kernel cannot be used",
        example: "a pipe in the Python package",
        remedy: "Mend the listed files";
}
