//! Codes of `skills`.

codes! {
    /// The codes of skills.
    ALL;
    UNKNOWN = "skills/unknown", Usage,
        means: "There is no such skill, or nowhere to put it",
        example: "`kernel-builder skills add --skill vulkan-kernels --claude`",
        remedy: "`kernel-builder skills list` says which there are; `--dest DIR` names a place";
    EXISTS = "skills/exists", Check,
        means: "A file of a skill is there already and differs from what would be written",
        example: "a `SKILL.md` of an earlier version, or one that somebody edited",
        remedy: "Look at it; `--force` replaces it";
}
