//! Codes of joining the variants of many jobs.

codes! {
    /// The codes of `collect`.
    ALL;
    SET = "collect/set", Check,
        means: "Variants do not make one set",
        example: "a CPU variant of yesterday's commit beside a CUDA variant of today's",
        remedy: "Build all of them from one commit with one kernel-builder";
    TWICE = "collect/twice", Check,
        means: "Two directories hold one variant with different contents",
        example: "two jobs that built the same variant with different compilers",
        remedy: "Leave out one of the directories, or find out why the builds differ";
    OUT = "collect/out", Usage,
        means: "The place of a set is taken",
        example: "a second `collect --out set` without removing the first",
        remedy: "Name a directory that does not exist with `--out`, or remove it";
}
