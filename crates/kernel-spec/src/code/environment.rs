//! Codes of what a machine lacks: tools, interpreters, permissions, devices.

codes! {
    /// The codes of the environment.
    ALL;
    FILE = "environment/file", Environment,
        means: "A file or directory could not be read or written",
        example: "a project directory without write permission",
        remedy: "Look at the path and the system's reason in the causes";
}
