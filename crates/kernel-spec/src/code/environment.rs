//! Codes of what a machine lacks: tools, interpreters, permissions, devices.

codes! {
    /// The codes of the environment.
    ALL;
    FILE = "environment/file", Environment,
        means: "A file or directory could not be read or written",
        example: "a project directory without write permission",
        remedy: "Look at the path and the system's reason in the causes";
    UNREADABLE = "environment/unreadable", Unreadable,
        means: "A file that a command needs is there and cannot be read: it is no regular file, too large, or there are no rights to it",
        example: "`upload` where `build/CARD.md` is a named pipe",
        remedy: "Make it a regular file that the user of the command may read";
    OCCUPIED = "environment/occupied", Usage,
        means: "A file that a command was told to write is there, and no earlier run of the command wrote it",
        example: "`pin acme/relu@v1 --pins notes.txt`, where `notes.txt` is a text of the user's",
        remedy: "Name another file, or remove that one if it is not needed";
    TORCH_WITHOUT_DEVICE = "environment/torch-without-device", Environment,
        means: "The installed torch is compiled for a GPU that this machine does not have, and the loader decides by it",
        example: "`pip install torch` on a machine without a GPU: the wheel of the index is compiled for CUDA",
        remedy: "Load with `get_kernel(..., backend=\"cpu\")`, or install torch from its index of CPU wheels; `kernel-builder test` sees to it by itself";
    PACKAGE = "environment/python-package", Environment,
        means: "The Python environment lacks a package that is needed",
        example: "`test` with an interpreter that has no `pytest`",
        remedy: "Install the package in that environment, or choose another with `--python`";
    TOOL_MISSING = "environment/tool-missing", Environment,
        means: "A program that is needed is not installed, or not in `PATH`",
        example: "`build` on a machine without a C++ compiler",
        remedy: "Install the program the message names; `kernel-builder doctor` lists what is missing";
    TOOL_UNUSABLE = "environment/tool-unusable", Environment,
        means: "A program exists but the system refuses to start it",
        example: "a compiler made for another processor, or a file without the right to be executed",
        remedy: "Look at the system's reason in the causes; install the program anew";
    TOOL_FAILED = "environment/tool-failed", Environment,
        means: "A program that should have given an answer failed",
        example: "a Python interpreter whose `torch` does not import",
        remedy: "The program's own message says why";
    OUT_OF_MEMORY = "environment/out-of-memory", Environment,
        means: "The system ended a program because memory ran out",
        example: "eight compilers at once on a machine of eight gigabytes",
        remedy: "Run fewer jobs at once with `--jobs`, or give the machine or container more memory";
    TIMEOUT = "environment/timeout", Child,
        means: "A program did not end in the time it had, and was ended",
        example: "a Python interpreter that waits for a network drive",
        remedy: "Run the program by hand to see what it waits for";
    WORKING_DIRECTORY = "environment/working-directory", Environment,
        means: "The working directory is gone, or its path is not UTF-8",
        example: "running in a directory that another program deleted",
        remedy: "Change to a directory that exists and whose path is UTF-8";
    OUTPUT = "environment/output", Environment,
        means: "Standard output could not be written, for another reason than a closed pipe",
        example: "`kernel-builder explain > /dev/full`",
        remedy: "Make room, or send the output elsewhere";
    FILE_NAME = "environment/file-name", Environment,
        means: "A file's name is not UTF-8, so it cannot be written into the metadata",
        example: "a file named in Latin-1, unpacked from an old archive",
        remedy: "Rename the file, or move it out of the directory";
    COMPILER = "environment/compiler", Environment,
        means: "No usable C++ compiler was found",
        example: "a fresh system without `g++`",
        remedy: "Install GCC or Clang (`apt install g++`, `dnf install gcc-c++`), or name one in `CXX`";
    NINJA = "environment/ninja", Environment,
        means: "Ninja was not found, and the local engine runs compilers through it",
        example: "neither `PATH` nor the Python environment has `ninja`",
        remedy: "Install it: `pip install ninja`, or your system's package `ninja-build`";
    SANDBOX = "environment/sandbox", Environment,
        means: "The sandbox was required and does not work here",
        example: "`--sandbox require` in a container that forbids user namespaces",
        remedy: "Install bubblewrap and allow user namespaces, or build with `--sandbox off`";
    FRAMEWORK_PART = "environment/framework-part", Environment,
        means: "The Python environment lacks the framework whose headers the kernel needs",
        example: "a torch kernel built with an interpreter that has no torch",
        remedy: "Install it in that environment, or choose another interpreter with `--python`";
    BACKEND_TOOLCHAIN = "environment/backend-toolchain", Environment,
        means: "The local engine has no toolchain for this backend",
        example: "a CUDA variant where only a host compiler is known",
        remedy: "Build the variant on a machine or with an engine that has that toolchain";
    CUDA_TOOLKIT = "environment/cuda-toolkit", Environment,
        means: "There is no CUDA toolkit of the version that the variant is for",
        example: "a variant for CUDA 13.2 on a machine with CUDA 12.6, or without any",
        remedy: "Install that version of the toolkit and name its directory in `CUDA_HOME`";
    ROCM = "environment/rocm", Environment,
        means: "There is no ROCm of the version that the variant is for, or it lacks its clang or its device libraries",
        example: "a variant for ROCm 7.1 on a machine with ROCm 5.2, or without any",
        remedy: "Install that version of ROCm and name its directory in `ROCM_PATH`";
    HIPIFY = "environment/hipify", Environment,
        means: "Torch's hipify, which translates sources of CUDA to HIP, is not there",
        example: "a `.cu` file in a ROCm component, and no torch in the Python environment",
        remedy: "Install torch in the environment, or choose one that has it with `--python`";
    HOST_COMPILER = "environment/host-compiler", Environment,
        means: "The CUDA toolkit does not accept a host compiler as new as this one",
        example: "GCC 15 with CUDA 12.6, whose headers accept GCC up to 13",
        remedy: "Install an older GCC or Clang beside the newer one and name it in `CXX`";
    DEPENDENCY = "environment/dependency", Environment,
        means: "The headers of a build dependency are not there",
        example: "`depends = [\"cutlass_4_0\"]`, of which there is no wheel, and no `CUTLASS_SRC_DIR`",
        remedy: "Name a source tree of that version in `CUTLASS_SRC_DIR`";
    PYTHON = "environment/python", Environment,
        means: "There is no Python interpreter to work with",
        example: "`build --python .venv` where `.venv` has no `bin/python`",
        remedy: "Name an interpreter, or the directory of its environment, with `--python`";
    PACKAGE_BROKEN = "environment/python-package-broken", Environment,
        means: "A Python package that a build needs is installed, but its files are not whole",
        example: "a `torch` directory without `version.py` after an interrupted upgrade",
        remedy: "Install the package again in the environment that the error names";
    NO_LOCK = "environment/no-lock", Environment,
        means: "The file system of the project has no locks, so two builds at once are not kept apart",
        example: "a project on a network drive without a lock service",
        remedy: "Run one build at a time there, or move the project to a local disk";
}
