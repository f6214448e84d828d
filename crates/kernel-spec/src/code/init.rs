//! Codes of making a new project.

codes! {
    /// The codes of `init`.
    ALL;
    REFUSED = "init/refused", Usage,
        means: "A new project was not made, because of what was asked for",
        example: "`kernel-builder init --name acme/My_Kernel --backends tpu`",
        remedy: "Correct what the findings name and run `kernel-builder init` again; nothing was written";
    NAME = "init/name", Usage,
        means: "The name of the new kernel does not follow the rule for names",
        example: "`kernel-builder init --name acme/My_Kernel`",
        remedy: "Choose a name of lower-case letters, digits and dashes, for example with `--name OWNER/my-kernel`";
    OWNER = "init/owner", Usage,
        means: "The owner in `--name OWNER/NAME` cannot be an account or organisation of the Hub",
        example: "`kernel-builder init --name 'my team/relu'`",
        remedy: "Give the name of your account or organisation on the Hub, as it stands in its address";
    BACKEND = "init/backend", Usage,
        means: "A backend is unknown, or the sample for this framework has no sources for it",
        example: "`kernel-builder init relu --framework tvm-ffi --backends metal`",
        remedy: "Choose other backends, or another framework; `all` takes those that there are";
    EXISTS = "init/exists", Usage,
        means: "The directory of the new project already has files, or other things, where the project's would go",
        example: "`kernel-builder init .` in a directory that has a `build.toml`",
        remedy: "Choose another directory, or replace exactly the files named above with `--overwrite`";
    PLACEHOLDER_OWNER = "init/placeholder-owner", Usage,
        means: "No owner was named, so a placeholder stands where the account or organisation of the Hub belongs",
        example: "`kernel-builder init relu`",
        remedy: "Name it with `--name OWNER/NAME`, or replace it before you upload: in `build.toml`, `README.md` and `tests/`";
    NOT_KEPT = "init/not-kept", Usage,
        means: "The manifest of a project that is written over cannot be read, so the new one has none of its choices",
        example: "`kernel-builder init --overwrite` over a `build.toml` that is no TOML",
        remedy: "Nothing needs to be done; `--name`, `--backends`, `--framework` and `--license` choose again";
    HUB_NAME = "init/hub-name", Usage,
        means: "The kernel's name is valid but no repository of the Hub may be called so; a shorter form stands in its place",
        example: "a name with two dashes in a row, or of more than 96 characters",
        remedy: "Nothing needs to be done; another name, or another `repo-id` in `build.toml`, avoids the difference";
}
