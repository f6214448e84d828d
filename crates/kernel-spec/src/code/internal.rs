//! Codes of the program itself and of how it is called.

codes! {
    /// The program's own codes.
    ALL;
    USAGE = "usage/arguments", Usage,
        means: "The command line is wrong",
        example: "`kernel-builder build --jobs many`",
        remedy: "See `kernel-builder COMMAND --help`";
    SETTINGS = "usage/settings", Usage,
        means: "A setting is unknown or has a value of the wrong kind; the message names the layer it came from",
        example: "`KERNEL_BUILDER_COLOR=blue`, or a misspelt key in `kernel-builder/config.toml`",
        remedy: "Correct the setting where the message says, or remove it to have the default";
    UNKNOWN_CODE = "usage/unknown-code", Usage,
        means: "`explain` was asked for a code that does not exist",
        example: "`kernel-builder explain manifest/nothing`",
        remedy: "List the codes with `kernel-builder explain`";
    BUG = "internal/bug", Internal,
        means: "kernel-builder met a state that it holds to be impossible",
        example: "a template embedded in the program does not render",
        remedy: "Report it with the output of `kernel-builder doctor` and the command that led to it";
    INTERRUPTED = "internal/interrupted", Interrupted,
        means: "The program was interrupted; children were ended and nothing half-written was left in place",
        example: "Ctrl-C during a build",
        remedy: "Run the same command again; finished work is kept";
}
