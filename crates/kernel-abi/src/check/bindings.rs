//! What a library takes from Python and from Torch.

use kernel_spec::Severity;
use kernel_spec::code::abi;
use kernel_spec::finding::Subject;

use super::{Case, finding};
use crate::policy::torch::Introduced;
use crate::policy::{python, torch};

impl Case<'_> {
    /// Names of Python outside the limited API of the oldest Python.
    pub(super) fn python(&mut self) {
        let floor = &self.policy.python;
        for symbol in self.object.undefined().filter(|symbol| python::is_python(&symbol.name)) {
            let (message, version) = match python::added(&symbol.name) {
                Some(added) if floor.reaches(added) => continue,
                Some(added) => (
                    format!("uses `{}`, which came with Python {added}", symbol.name),
                    Some(added.to_string()),
                ),
                None => (format!("uses `{}`, which is outside Python's limited API", symbol.name), None),
            };
            let subject = Subject { symbol: Some(symbol.name.into_owned()), version, ..Subject::default() };
            let cause = format!("the library has to load in every Python from {floor} on");
            self.error(&abi::PYTHON_API, message, cause, subject);
        }
    }

    /// In a stable-ABI variant: functions of a newer Torch, and its C++ interface.
    pub(super) fn torch(&mut self) {
        let Some(oldest) = &self.policy.torch_stable_abi else { return };
        let undefined = self.object.undefined().filter(|symbol| symbol.version.is_none());
        for symbol in undefined {
            let (message, version) = match torch::introduced(&symbol.name) {
                Some(Introduced::Since(since)) if !oldest.reaches(since) => (
                    format!("uses `{}`, which came with Torch {since}", symbol.name),
                    Some(since.to_string()),
                ),
                None if torch::is_cxx(&symbol.name) => (
                    format!(
                        "uses `{}` of Torch's C++ interface, which changes with every release",
                        symbol.name
                    ),
                    None,
                ),
                None if torch::is_c_function(&symbol.name) => {
                    (format!("uses `{}`, which is in no stable ABI known here", symbol.name), None)
                }
                _ => continue,
            };
            let subject = Subject { symbol: Some(symbol.name.into_owned()), version, ..Subject::default() };
            let cause = format!("the variant's name promises every Torch from {oldest} on");
            let finding = finding(&abi::TORCH_ABI, Severity::Error, message).cause(cause);
            self.add(finding, subject);
        }
    }
}
