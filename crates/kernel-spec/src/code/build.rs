//! Codes of planning, compiling and linking.

codes! {
    /// The codes of builds.
    ALL;
    PLAN = "build/plan", Manifest,
        means: "The project cannot be built as this variant; each reason is listed with its own code",
        example: "a flag that is not allowed, and a CUDA source in a CPU component",
        remedy: "Mend the listed faults; `kernel-builder plan` shows them without building";
    FLAG = "build/flag", Manifest,
        means: "A flag or include directory of the project could make the compiler run, read or write something outside the build",
        example: "`cxx-flags = [\"-fplugin=./x.so\"]` or `include = [\"/usr/include/foo\"]`",
        remedy: "Remove it; the owner of a machine can allow one flag with `--allow-flag`";
    FLAG_LEFT_OUT = "build/flag-left-out", Manifest,
        means: "A flag of nvcc says nothing to clang, which compiles CUDA 12 with `--dev`, so it has no effect in this build",
        example: "`cuda-flags = [\"-prec-div=false\"]` in a variant for CUDA 12.6",
        remedy: "Nothing, if the build is for trying out; for the flag's effect build with CUDA's own compiler, named in `CUDA_HOME`";
    SOURCE = "build/source", Manifest,
        means: "A listed file cannot be compiled for the component's backend",
        example: "a `.cu` file in a component with `backend = \"cpu\"`",
        remedy: "Move the file to a component of its own backend, or remove it from `src`";
    COMPONENT_LEFT_OUT = "build/component-left-out", Manifest,
        means: "A component is not part of this variant",
        example: "`cuda-minver = \"12.8\"` in a variant for CUDA 12.6",
        remedy: "Nothing, if that is meant; otherwise lower the bound or do not build this variant";
    ARCHITECTURE_LEFT_OUT = "build/architecture-left-out", Manifest,
        means: "A GPU architecture that a component lists is not built for this variant",
        example: "`cuda-capabilities = [\"9.0\", \"10.0\"]` in a variant for CUDA 12.6, which does not know 10.0",
        remedy: "Nothing, if the variant is for other devices; otherwise list an architecture that its toolkit builds";
    NO_ARCHITECTURE = "build/no-architecture", Manifest,
        means: "Of the GPU architectures that a component lists, this variant's toolkit builds none",
        example: "`cuda-capabilities = [\"12.0\"]` in a variant for CUDA 12.6",
        remedy: "List an architecture that the toolkit builds, or bound the variants with `[general.cuda]` `minver`";
    COMPILE = "build/compile", Build,
        means: "A compiler rejected a source",
        example: "a missing semicolon in `relu_cpu/relu.cpp`",
        remedy: "The compiler's own message comes first in the output; mend the source it names";
    LINK = "build/link", Build,
        means: "The objects could not be linked into one library",
        example: "a function that two sources define",
        remedy: "The linker's own message comes first in the output; it names the symbol and the objects";
    OUT_OF_MEMORY = "build/out-of-memory", Build,
        means: "The system ended a compiler because memory ran out",
        example: "eight compilers with all of torch's headers on a machine with 8 GB",
        remedy: "Build with fewer `--jobs`, or give the machine or container more memory";
    ENGINE = "build/engine", Build,
        means: "The build stopped without a message of a compiler or linker",
        example: "the disk is full while Ninja writes its log",
        remedy: "The last lines of the output say why";
    UNWRITABLE = "build/unwritable", Manifest,
        means: "A name or value cannot be passed on to a tool",
        example: "a source whose file name holds a line break",
        remedy: "Rename the file or change the value: line ends and NUL cannot be passed on";
    CHECK = "build/check", Check,
        means: "What was built fails its checks, so it was not sealed and the earlier result stays in place",
        example: "a library that needs a newer glibc than its policy allows",
        remedy: "Mend the listed faults and build again; what was made is kept beside the variants in `.<variant>.partial`";
    NOT_REPRODUCIBLE = "build/not-reproducible", Check,
        means: "With `--check-reproducible`: the same sources gave other bytes in another place, so nobody can prove where the binary comes from",
        example: "`__TIMESTAMP__` in a source, or a generated header with the time of day",
        remedy: "Take dates, times, paths and random numbers out of the sources; the finding names the file and the sections that differ";
    UNDECLARED_INPUT = "build/undeclared-input", Check,
        means: "A compiler read a file of the project that no `src` list declares",
        example: "a header included through a macro, which no scan of the sources can see",
        remedy: "Add the file to the `src` list of the component that includes it";
}
