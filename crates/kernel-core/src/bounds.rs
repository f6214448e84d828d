//! How much of what others publish is held in memory. Whatever is within these bounds, made to cost as much as it can, leaves a
//! command below 100 MB; how many values metadata may hold is beside their reader, in `kernel-spec`.

/// Most bytes of metadata: of 10,000 files, as many as the Hub takes in a folder, they have about one and a half million.
pub const METADATA: u64 = 4 << 20;

/// Most bytes of a Python file.
pub const PYTHON: u64 = 1 << 20;

/// Most tokens of a Python file, about ten for a line. The parts of a program cost a hundred times the bytes of its shortest text.
pub const TOKENS: usize = 100_000;

/// Most tokens of the Python files that are held together.
pub const TOKENS_TOGETHER: usize = 200_000;

/// Most findings of one kind about a variant.
pub const FINDINGS: usize = 100;
