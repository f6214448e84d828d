//! What a script or a file of declared operations offers to be measured, before anything of it has run.

use camino::Utf8PathBuf;
use kernel_bench::judge::Rule;
use kernel_bench::measurement::{Fault, FaultKind};
use kernel_bench::protocol::{Case, DiscoverAnswer};
use kernel_spec::workloads::{Operation, Role};

use crate::gates::{Declared, ordinary, rules};

/// Something that could be measured.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// `Class.workload`, or `operation.workload.type`.
    pub(super) id: String,
    /// The class, or the operation.
    pub(super) class: String,
    /// The workload.
    pub(super) name: String,
    /// Whether it has a reference.
    pub(super) verified: bool,
    /// How much it counts beside the others.
    pub(super) weight: f64,
    /// The call, where it is a declared operation's.
    pub(super) case: Option<Case>,
    /// How each of its outputs is compared.
    pub(super) rules: Vec<Rule>,
    /// Why it cannot be measured.
    pub(super) fault: Option<Fault>,
}

/// The workloads of a script's classes.
pub(super) fn of_script(found: &DiscoverAnswer) -> Vec<Wanted> {
    let classes = found.classes.iter();
    let all = classes.flat_map(|class| class.workloads.iter().map(move |workload| (class, workload)));
    all.map(|(class, workload)| Wanted {
        id: format!("{}.{}", class.name, workload.name),
        class: class.name.clone(),
        name: workload.name.clone(),
        verified: workload.verify,
        weight: 1.0,
        case: None,
        rules: Vec::new(),
        fault: None,
    })
    .collect()
}

/// The workloads of declared operations, each in each of its types.
pub(super) fn of_declared(declared: &Declared) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for operation in &declared.workloads.operations {
        for workload in &operation.workloads {
            for dtype in workload.dtypes.as_ref().unwrap_or(&operation.dtypes) {
                let Some(case) = ordinary(operation, &workload.sizes, dtype) else { continue };
                wanted.push(Wanted {
                    id: format!("{}.{}.{dtype}", operation.name, workload.name),
                    class: operation.name.clone(),
                    name: format!("{}.{dtype}", workload.name),
                    verified: true,
                    weight: workload.weight,
                    rules: rules::of(operation, &case),
                    case: Some(case),
                    fault: unmeasurable(operation),
                });
            }
        }
    }
    wanted
}

/// Why an operation is tested and not measured.
fn unmeasurable(operation: &Operation) -> Option<Fault> {
    let changes = operation.tensors.iter().find(|tensor| tensor.role == Role::Inout)?;
    let reason =
        format!("it changes `{}`, so that its second call would start from other inputs", changes.name);
    Some(Fault { kind: FaultKind::Unsupported, reason })
}

/// The files that say what a declared operation computes.
pub(super) fn files(declared: &Declared) -> Vec<Utf8PathBuf> {
    let directory = declared.path.parent().map(camino::Utf8Path::to_owned).unwrap_or_default();
    let operations = declared.workloads.operations.iter();
    let functions = operations.flat_map(|operation| [Some(&operation.reference), operation.inputs.as_ref()]);
    let mut files: Vec<Utf8PathBuf> =
        functions.flatten().map(|function| directory.join(&function.file)).collect();
    files.sort();
    files.dedup();
    files
}
