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
    CASE = "inputs/case", Manifest,
        means: "A listed file has another case on disk",
        example: "`src = [\"demo/Demo.cpp\"]` where the file is `demo/demo.cpp`",
        remedy: "Write the name as the file system keeps it; most systems tell upper from lower case";
    DIRECTORY = "inputs/directory", Manifest,
        means: "A directory is listed as a source",
        example: "`src = [\"csrc\"]`",
        remedy: "List the directory's files one by one";
    PATTERN = "inputs/pattern", Manifest,
        means: "A pattern is listed as a source",
        example: "`src = [\"csrc/*.cu\"]`",
        remedy: "List the files one by one";
    PACKAGE = "inputs/package", Manifest,
        means: "The Python package cannot be imported",
        example: "`torch-ext/my_kernel/` without `__init__.py`",
        remedy: "Add the file; what it exports is the kernel's public face";
    INCLUDE = "inputs/include", Manifest,
        means: "An include directory does not exist",
        example: "`include = [\"cscr\"]` where the directory is `csrc`",
        remedy: "Correct or remove the directory";
    UNLISTED = "inputs/unlisted", Manifest,
        means: "A header of the project is included, but no `src` lists it",
        example: "`#include \"inner.h\"` beside `src = [\"demo/demo.cpp\"]`",
        remedy: "Add the header to `src`; builds that copy only listed files would miss it";
    UNTRACKED = "inputs/untracked", Manifest,
        means: "Git does not track a file of the kernel, or there is no commit that could hold it",
        example: "a source that was written but not yet added",
        remedy: "Run `git add`; a Nix build of a flake sees only tracked files";
}
