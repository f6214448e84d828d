//! Codes of `pin`.

codes! {
    /// The codes of pins.
    ALL;
    NAME = "pin/name", Usage,
        means: "A word names no published kernel",
        example: "`pin acme/relu`, without a version",
        remedy: "Write it as OWNER/NAME@vN";
    ONE_FILE = "pin/one-file", Usage,
        means: "The pins and the loader's lock would be written to one file",
        example: "`pin acme/relu@v1 --pins kernels.lock`",
        remedy: "Name two files with `--pins` and `--lock`";
    UNFIT = "pin/unfit", Check,
        means: "A published kernel cannot be pinned: it has no variants, nothing in it vouches for its files, or they are not those that it vouches for",
        example: "a variant whose metadata have no digest, or that holds a file which its digest does not name",
        remedy: "Ask the publisher for a build with digests, or pin another version";
}
