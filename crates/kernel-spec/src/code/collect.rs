//! Codes of joining the variants of many jobs.

codes! {
    /// The codes of `collect`.
    ALL;
    SET = "collect/set", Check,
        means: "Variants do not make one set",
        example: "a CPU variant of yesterday's commit beside a CUDA variant of today's",
        remedy: "Build all of them from one commit with one kernel-builder";
    TWICE = "collect/twice", Check,
        means: "Two directories hold one variant, one result of its tests or benchmark, or one file of the benchmarks, with different contents",
        example: "two jobs that built the same variant with different compilers",
        remedy: "Leave out one of the directories, or the result or file in one of them, or find out why the builds differ";
    CARDS = "collect/cards", Check,
        means: "Jobs hand on different cards, each of their own variants, and none of the whole set",
        example: "a CPU job and a CUDA job that both ran `kernel-builder card`",
        remedy: "Run `kernel-builder card` once where all variants are, and put its file at `build/CARD.md` of the set; without one, `upload` leaves the card on `main` as it is";
    OUT = "collect/out", Usage,
        means: "The place of a set is taken, or inside of what is joined",
        example: "a second `collect --out set` without removing the first",
        remedy: "Name a directory that does not exist with `--out`, beside those that are joined";
}
