//! Reads a linker's map: which members of the static libstdc++ a kernel took, and whether it may carry them.

use std::collections::BTreeMap;

use kernel_spec::finding::Subject;
use kernel_spec::{Finding, code};

use super::member::{Effect, MemberError, state};

/// Members taken from an archive, with the reference that asked for each where the map says it.
///
/// Maps of `ld` and `lld` differ, but both name a member as `path/archive(member)`, and only `ld` says for what.
pub fn members(map: &str, archive: &str) -> BTreeMap<String, Option<String>> {
    let mut members = BTreeMap::new();
    let mut lines = map.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(member) = member_in(line, archive) else { continue };
        let taken = members.entry(member.to_owned()).or_insert(None);
        // `ld` begins with the reason on the same or the next line: `object (symbol)`.
        if taken.is_none() && line.trim_end().ends_with(')') && !line.starts_with(' ') {
            let after = line.split_once(&format!("({member})")).map_or("", |(_, after)| after).trim();
            let reason =
                if after.is_empty() { lines.peek().copied().unwrap_or_default().trim() } else { after };
            *taken = reason.ends_with(')').then(|| reason.to_owned());
        }
    }
    members
}

fn member_in<'m>(line: &'m str, archive: &str) -> Option<&'m str> {
    let from = line.find(&format!("{archive}("))?;
    let at_name = from == 0 || matches!(line.as_bytes()[from - 1], b'/' | b' ');
    let (member, _) = line[from + archive.len() + 1..].split_once(')')?;
    at_name.then_some(member)
}

/// What is to be said about the members that a link took from `libstdc++.a`, whose bytes are `content`.
pub fn check(map: &str, content: &[u8]) -> Result<Vec<Finding>, MemberError> {
    let mut findings = Vec::new();
    for (member, reason) in members(map, "libstdc++.a") {
        for piece in state(content, &member)? {
            let finding = match piece.effect() {
                Effect::None => continue,
                Effect::Own(how) => Finding::note(
                    &code::link::OWN_STATE,
                    format!("the kernel carries its own copy of a part of libstdc++ (`{member}`): {how}"),
                ),
                Effect::Shared => Finding::error(
                    &code::link::STATEFUL,
                    format!("`{member}` of the static libstdc++ holds state that a process must have once"),
                ),
            };
            let subject = Subject {
                symbol: Some(piece.symbol),
                library: Some(format!("libstdc++.a({member})")),
                ..Subject::default()
            };
            let finding = finding.about(subject);
            findings.push(match &reason {
                Some(reason) => finding.cause(format!("it was taken for {reason}")),
                None => finding,
            });
            // One piece of state explains the member.
            break;
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LD: &str = "\
Archive member included to satisfy reference by file (symbol)

/usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a(fs_dir.o)
                              kernel.o (std::filesystem::begin(int))
tc/libstdc++.a(futex.o)       kernel.o (std::__atomic_futex::wait())
compat/mylibstdc++.a(other.o) kernel.o (other)

 .text          0x0000000000001000       0x10 /usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a(fs_dir.o)
";
    const LLD: &str = "\
             VMA              LMA     Size Align Out     In      Symbol
            a7f8             a7f8      6b4     4         tc/libstdc++.a(syncbuf.o):(.text)
";

    #[test]
    fn members_of_both_linkers_are_found() {
        let found = members(LD, "libstdc++.a");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [
                ("fs_dir.o".to_owned(), Some("kernel.o (std::filesystem::begin(int))".to_owned())),
                ("futex.o".to_owned(), Some("kernel.o (std::__atomic_futex::wait())".to_owned())),
            ]
        );
        assert_eq!(
            members(LLD, "libstdc++.a").into_iter().collect::<Vec<_>>(),
            [("syncbuf.o".to_owned(), None)]
        );
    }
}
