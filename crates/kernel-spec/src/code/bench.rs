//! Codes of `bench`.

codes! {
    /// The codes of benchmarks.
    ALL;
    NO_WORKLOADS = "bench/no-workloads", NothingVerified,
        means: "There is nothing to measure: no script, no workload with a reference, or none that was asked for",
        example: "`kernel-builder bench --workload Nothing.here`",
        remedy: "Write `benchmarks/benchmark.py` with a subclass of `kernels.benchmark.Benchmark`; `benchmark_X` needs `verify_X`";
    SCRIPT = "bench/script", NothingVerified,
        means: "A script in `benchmarks/` defines no subclass of `kernels.benchmark.Benchmark`, so nothing in it is measured",
        example: "a script that parses its own command line",
        remedy: "Give it such a class, or another name than `benchmark*.py`";
    INCORRECT = "bench/incorrect", Test,
        means: "The kernel's outputs are wrong, so its speed means nothing",
        example: "a kernel that rounds to half precision where its result is float32",
        remedy: "Look at the first wrong value that is named; a single workload runs with `kernel-builder bench --workload NAME`";
    FAILED = "bench/failed", Test,
        means: "A script or a workload raised an exception",
        example: "a setup that asks for a function the kernel does not have",
        remedy: "Read the exception; the line of the project that raised it stands behind it";
    SUSPECT = "bench/suspect", Suspect,
        means: "The kernel looks faster than it is: a check of the measurement itself struck",
        example: "outputs that are right when they are checked and not written when they are timed",
        remedy: "Read what was seen; a kernel must do all of its work in each call, leave no thread behind, and change nothing of the process";
    CHILD = "bench/child", Child,
        means: "The process that measured a workload crashed or gave no answer in time",
        example: "a kernel that writes past the end of a tensor and ends Python with a segmentation fault",
        remedy: "Run the workload alone with `kernel-builder bench --workload NAME`; give slow ones more time with `--timeout`";
    UNSUPPORTED = "bench/unsupported", NothingVerified,
        means: "A workload insists on a device that this machine does not have",
        example: "`device=\"cuda\"` in a setup, on a machine without a GPU",
        remedy: "Use `self.device` in the setup, or bench on a machine that has the device";
    NOT_VERIFIED = "bench/not-verified", NothingVerified,
        means: "The outputs of a workload were not held against a reference that can be trusted",
        example: "`benchmark_X` without `verify_X`, or a script that replaces `torch.allclose` by a comparison of its own",
        remedy: "Give the workload a `verify_X` that computes the same with plain operations, and leave the comparison to the tool";
    REFEREE = "bench/referee", Suspect,
        means: "The project's own benchmark scripts differ from those that `--judge-from` chose, which were used",
        example: "a `verify_X` that was changed together with the kernel",
        remedy: "Take over the referee's scripts, or have your change to them accepted there first";
    INCOMPARABLE = "bench/incomparable", Incomparable,
        means: "The earlier run of `--against` was made under other circumstances, or measured other workloads",
        example: "a document from another machine, or from before a script changed",
        remedy: "Measure both on the same machine with the same scripts; the cause names what differs";
    SAVED = "bench/saved", Unreadable,
        means: "The file given with `--against` is no document of a benchmark",
        example: "`kernel-builder bench --against notes.txt`",
        remedy: "Give a file that `kernel-builder bench --output FILE` wrote";
    RECORD = "bench/record", Unreadable,
        means: "The kept result of a variant's last benchmark cannot be read",
        example: "a `.kernel-builder/bench/torch-cpu.json` that was cut off",
        remedy: "Measure again with `kernel-builder bench`; if something else is in its place, remove that first";
    TARGET = "bench/target", NothingVerified,
        means: "A target that `--on` asks for has no verdict about what is built here",
        example: "`kernel-builder validate --on cuda` on a machine without a GPU",
        remedy: "Measure the same variant on a machine that has the device with `kernel-builder bench --output FILE`, and give `--on BACKEND=FILE`";
    SLOWER = "bench/slower", Slower,
        means: "The kernel is slower than its baseline, and `--fail-on slower` was given",
        example: "a kernel of one thread against a baseline of many",
        remedy: "Look at the workloads that are slower; the document has their times, process by process";
    NOT_FASTER = "bench/not-faster", Slower,
        means: "The kernel is not proven faster than its baseline, and `--fail-on not-faster` was given",
        example: "a kernel that does the same as its baseline",
        remedy: "Look at the reasons of the verdict; the table says what difference could have been seen";
    INCONCLUSIVE = "bench/inconclusive", Inconclusive,
        means: "The measurements do not tell, and `--fail-on inconclusive` was given",
        example: "a machine that is busy with something else",
        remedy: "Measure on a quiet machine, or longer with `--budget`";
}
