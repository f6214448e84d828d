//! Codes of `test`.

codes! {
    /// The codes of tests.
    ALL;
    NO_ARTIFACT = "test/no-artifact", Environment,
        means: "There is no built variant that this machine's loader accepts",
        example: "`kernel-builder test` before the first `kernel-builder build`",
        remedy: "Build one with `kernel-builder build`; `kernel-builder variants --explain` says what this machine accepts";
    LOAD = "test/load", Test,
        means: "The real loader could not load the built variant",
        example: "a variant for CUDA on a machine whose torch was compiled for the CPU",
        remedy: "Read the loader's reason; `kernel-builder variants --explain` says what this machine's loader accepts";
    FAILED = "test/failed", Test,
        means: "A test of the project failed, or broke in a fixture or while being collected",
        example: "`assert` of a wrong value in `tests/test_relu.py`",
        remedy: "Read the test's own message; run it alone with `kernel-builder test -- -k NAME`";
    NOTHING = "test/nothing-executed", NothingVerified,
        means: "No test ran: there are none, none was selected, or all were skipped",
        example: "an empty `tests` directory, or `-- -k name_of_no_test`",
        remedy: "Add tests under `tests/`, or look at the reasons of the skipped ones";
    UNUSED = "test/artifact-unused", NothingVerified,
        means: "Tests passed, but none of them got the built kernel from the loader or imported its package",
        example: "a suite that tests only a pure Python helper",
        remedy: "Load the kernel in the tests with `kernels.get_kernel(REPO_ID, version=N)`";
    PYTEST = "test/pytest", Test,
        means: "pytest refused to run",
        example: "`kernel-builder test -- --no-such-option`",
        remedy: "Read pytest's own words and check the arguments after `--`";
    RECORD = "test/record", Unreadable,
        means: "The kept result of a variant's last test cannot be read, so nobody knows whether it failed",
        example: "a `.kernel-builder/tests/torch-cpu.json` that was cut off",
        remedy: "Test again with `kernel-builder test`; if something else is in its place, remove that first";
    CHILD = "test/child", Child,
        means: "The process that ran the tests crashed, or what it reported cannot be read",
        example: "a kernel that writes past the end of a tensor and ends Python with a segmentation fault",
        remedy: "Find the test with `kernel-builder test -- -x -v`; the crash is in native code";
    GATE = "test/gate", Test,
        means: "A declared operation does not pass a gate: its outputs are wrong in some case, or it does what it must not",
        example: "a kernel that forgets the last row where the number of rows is no multiple of 4",
        remedy: "Look at the case and the first wrong element; all gates are described in the guide to declared operations";
    GATE_CHILD = "test/gate-child", Child,
        means: "The process that ran a declared operation crashed or gave no answer in time",
        example: "a kernel that ends Python with a segmentation fault for inputs that are not aligned",
        remedy: "Call the operation with the case that is named; the crash is in native code";
}
