//! Codes of `benchmarks/workloads.toml`.

codes! {
    /// The codes of declared operations.
    ALL;
    INVALID = "workloads/invalid", Manifest,
        means: "`benchmarks/workloads.toml` has faults; each is listed with its own code",
        example: "a misspelt key and a workload without a size for a dimension: both are reported in one run",
        remedy: "Mend the listed faults; `kernel-builder schema workloads.toml` prints what can stand there";
    VALUE = "workloads/value", Manifest,
        means: "A value in `benchmarks/workloads.toml` does not fit the rest of the operation",
        example: "`call = \"relu(y)\"` where no tensor or argument is called `y`",
        remedy: "Mend the place that is pointed at";
}
