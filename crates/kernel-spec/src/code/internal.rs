//! Codes of the program itself and of how it is called.

codes! {
    /// The program's own codes.
    ALL;
    USAGE = "usage/arguments", Usage,
        means: "The command line is wrong",
        example: "`kernel-builder build --jobs many`",
        remedy: "See `kernel-builder COMMAND --help`";
    BUG = "internal/bug", Internal,
        means: "kernel-builder met a state that it holds to be impossible",
        example: "a template embedded in the program does not render",
        remedy: "Report it with the output of `kernel-builder doctor` and the command that led to it";
    INTERRUPTED = "internal/interrupted", Interrupted,
        means: "The program was interrupted; children were ended and nothing half-written was left in place",
        example: "Ctrl-C during a build",
        remedy: "Run the same command again; finished work is kept";
}
