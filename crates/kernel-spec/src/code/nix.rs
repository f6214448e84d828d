//! Codes of the Nix engine.

codes! {
    /// The codes of the Nix engine.
    ALL;
    MISSING = "nix/missing", Environment,
        means: "The Nix engine was asked for, and there is no `nix` in `PATH`",
        example: "`build --engine nix` on a machine without Nix",
        remedy: "Install Nix 2.26 or newer, or build with `--engine local`, which needs none";
    DISABLED = "nix/disabled", Environment,
        means: "Nix does not have the commands that the engine needs",
        example: "Nix 2.3, or an administrator's `nix.conf` that forbids `nix-command`",
        remedy: "Update Nix to 2.26 or newer, or allow the feature `nix-command` in `nix.conf`";
    UNCONFINED = "nix/unconfined", Environment,
        means: "Nix's sandbox is off, so that nobody could vouch for the result",
        example: "`sandbox = false` in `nix.conf`, as some distributions ship it",
        remedy: "Set `sandbox = true` in `nix.conf` and restart the daemon; in a container without user namespaces build with `--engine local`";
    DAEMON = "nix/daemon", Environment,
        means: "Nix's daemon does not answer",
        example: "a container in which nothing has started `nix-daemon`",
        remedy: "Start it (`systemctl start nix-daemon`), or name a store of your own with `--nix-store`";
    STORE = "nix/store", Environment,
        means: "Nix's store cannot be written, or lies where this machine cannot read it",
        example: "a user without a daemon, or `--nix-store ssh-ng://builder`",
        remedy: "Name a store of your own with `--nix-store`; for building on other machines there is `--nix-builders`";
    DISK_FULL = "nix/disk-full", Environment,
        means: "The disk that Nix builds on is full",
        example: "a store on a partition of 10 GB",
        remedy: "Make room: `nix store gc` removes what nothing needs any more";
    FETCH = "nix/fetch", Environment,
        means: "Something that the toolchain is made of could not be fetched",
        example: "the first build with the pinned nixpkgs on a machine without network",
        remedy: "Look at the network and the substituters of `nix.conf`, or name a toolchain of this machine with `--nix-toolchain`";
    EVALUATION = "nix/evaluation", Environment,
        means: "Nix stopped before anything was built",
        example: "a file in `--nix-toolchain` with a fault, or a broken installation",
        remedy: "Nix's own words are the causes; they name the file and the line";
    TOOLCHAIN = "nix/toolchain", Environment,
        means: "What a Nix file says of its compiler cannot be used, or has changed since it was looked at",
        example: "`--nix-toolchain shell.nix`, which is no description of a compiler",
        remedy: "Name a file as `docs/guide/many-machines.md` describes it; where it has changed, run the same command again";
    UNSUPPORTED = "nix/unsupported", Environment,
        means: "The Nix engine cannot build this variant",
        example: "a variant for ROCm, whose compiler the engine has not got",
        remedy: "Build it with `--engine local` on a machine that has the toolkit";
}
