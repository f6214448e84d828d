//! Paths of other machines inside a library.

use kernel_spec::Severity;
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;

use super::{Case, finding, some};
use crate::image::MarkKind;

impl Case<'_> {
    pub(super) fn content(&mut self) {
        let kinds = [
            (MarkKind::NixStore, &abi::NIX_STORE, "contains paths into a Nix store"),
            (MarkKind::BuildPath, &abi::BUILD_PATH, "contains paths of the machine that built it"),
        ];
        for (kind, code, message) in kinds {
            let texts =
                self.object.marks.iter().filter(|mark| mark.kind == kind).map(|mark| mark.text.as_str());
            let texts: Vec<&str> = texts.collect();
            if !texts.is_empty() {
                let finding = finding(code, Severity::Warning, message.to_owned()).cause(some(texts));
                self.add(finding, Subject::default());
            }
        }
    }
}
