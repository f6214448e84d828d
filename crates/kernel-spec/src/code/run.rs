//! Codes of `run`.

codes! {
    /// The codes of `run`.
    ALL;
    PINS = "run/pins", Unreadable,
        means: "The file of pins cannot be read",
        example: "`run --verified -- python program.py` without a `kernel-pins.json`",
        remedy: "Write it with `kernel-builder pin OWNER/NAME@vN`";
    BASELINE = "run/baseline", Unreadable,
        means: "The file that `--baseline` names for a kernel is not there",
        example: "`run --use baseline --baseline acme/relu=missing.py -- python program.py`",
        remedy: "Name a Python file with functions of the same names as the kernel's";
    REFUSED = "run/refused", Check,
        means: "A program wanted to load a kernel that is not what is pinned, and its code was not imported",
        example: "a file of a kernel that was changed in the cache",
        remedy: "Find out who changed it; `kernel-builder pin` writes new pins where the change is meant";
    RECORD = "run/record", Check,
        means: "The record of what kernels did in a program was written to by somebody else, so that it proves nothing",
        example: "a program that looks for the record and adds lines to it",
        remedy: "Find out which code of the program does that";
    FALLBACK = "run/fallback", Check,
        means: "The kernel was asked for with `--use kernel`, and the program did without it",
        example: "a layer for whose device no kernel is mapped",
        remedy: "Read the reason; `kernel-builder variants --explain` says which variant this machine takes";
    NOTHING = "run/nothing-verified", NothingVerified,
        means: "A program ended without having loaded a kernel that was verified",
        example: "`run --verified -- python -I program.py`, which keeps Python from its environment",
        remedy: "Let the program load its kernels with `kernels`, in a Python without `-I`, `-E` or `-S`";
    NO_PYTHON = "run/no-python", NothingVerified,
        means: "A program started no Python in which kernels could be switched, timed or explained",
        example: "`run --share -- make`, or a Python that was started with `-I`, `-E` or `-S`",
        remedy: "Run the Python program itself, in a Python without `-I`, `-E` or `-S`";
    NEVER_CALLED = "run/never-called", NothingVerified,
        means: "A program called no operation of a kernel, so that kernels have no share in its time",
        example: "`run --share -- python -c pass`",
        remedy: "Give the program something to do that needs the kernel; layers count once `kernelize` went over them";
    NOT_SWITCHED = "run/not-switched", NothingVerified,
        means: "A kernel ran although its baseline was asked for, or nothing was there to be switched",
        example: "`get_kernel(\"acme/relu\", version=1)` in a program that is run with `--use baseline` alone",
        remedy: "Name a file with its functions with `--baseline NAME=FILE`, or let the program do without it with `--without NAME`";
    NOT_MEASURED = "run/not-measured", NothingVerified,
        means: "Some of the time in operations of kernels is not in their share",
        example: "a model that is trained, or compiled with `torch.compile`",
        remedy: "Measure the forward pass without `torch.compile`, or take the share for what it is at least";
    FAILED = "run/failed", Child,
        means: "The program itself failed",
        example: "an exception in the program",
        remedy: "Its own output says why";
    TIMEOUT = "run/timeout", Child,
        means: "The program did not end in the time that it was given, and was ended",
        example: "`run --share --timeout 60 -- python server.py`",
        remedy: "Give it less to do, or more time with `--timeout`";
}
