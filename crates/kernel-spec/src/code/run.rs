//! Codes of `run`.

codes! {
    /// The codes of `run`.
    ALL;
    PINS = "run/pins", Usage,
        means: "The file of pins cannot be read",
        example: "`run --verified -- python program.py` without a `kernel-pins.json`",
        remedy: "Write it with `kernel-builder pin OWNER/NAME@vN`";
    REFUSED = "run/refused", Check,
        means: "A program wanted to load a kernel that is not what is pinned, and its code was not imported",
        example: "a file of a kernel that was changed in the cache",
        remedy: "Find out who changed it; `kernel-builder pin` writes new pins where the change is meant";
    NOTHING = "run/nothing-verified", NothingVerified,
        means: "A program ended without having loaded a kernel that was verified",
        example: "`run --verified -- python -I program.py`, which keeps Python from its environment",
        remedy: "Let the program load its kernels with `kernels`, in a Python without `-I`, `-E` or `-S`";
    FAILED = "run/failed", Child,
        means: "The program itself failed",
        example: "an exception in the program",
        remedy: "Its own output says why";
}
