//! Only the binary speaks: no library prints, exits or colours.

use crate::codes::sources;

#[test]
fn no_library_prints_or_exits() {
    let banned =
        ["println!", "eprintln!", "print!", "eprint!", "dbg!", "process::exit", "anstyle", "owo_colors"];
    for (path, text) in sources() {
        if path.starts_with("crates/kernel-builder/")
            || path.ends_with("/build.rs")
            || path.ends_with("/tests.rs")
        {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            let found = banned.iter().find(|word| {
                line.match_indices(**word).any(|(at, _)| {
                    !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
                })
            });
            assert!(
                found.is_none(),
                "{path}:{}: a library must not use `{}`",
                number + 1,
                found.unwrap_or(&"")
            );
        }
    }
}
