//! Codes of `audit`: what built variants could do, seen from outside.

codes! {
    /// The codes of audits.
    ALL;
    RUNS = "audit/runs-code", Check,
        means: "Something can run other programs, or text as code",
        example: "`subprocess.run(…)`, `eval(…)`, or a library that imports `execve`",
        remedy: "Look at the place, and use the kernel only if it is clear what is run";
    LOADS = "audit/loads-libraries", Check,
        means: "Something can load other libraries, or make memory executable",
        example: "`ctypes.CDLL(…)`, or a library that imports `dlopen`",
        remedy: "Look at the place, and use the kernel only if it is clear what is loaded";
    NETWORK = "audit/network", Check,
        means: "Something can use the network",
        example: "`import socket`, or a library that needs `libcurl`",
        remedy: "Look at the place; a kernel has no need of the network";
    JIT = "audit/jit", Check,
        means: "Code is compiled when the kernel runs, so what runs is not what was published",
        example: "`@triton.jit`, or a library that needs `libnvrtc`",
        remedy: "Usual for Triton kernels; the source that is compiled is in the variant and can be read";
    FILES = "audit/files", Check,
        means: "There are files that an audit cannot judge",
        example: "`build/torch-cpu/weights.bin`, or a script beside the variants",
        remedy: "Look at them: the loader downloads what is in a variant, and the code in it may use anything";
    BILL = "audit/bill", Check,
        means: "The bill of materials cannot be made",
        example: "`audit --sbom` of a variant whose metadata cannot be read",
        remedy: "Mend what the findings name first";
}
