//! How the outputs of a case are compared.

use kernel_bench::judge::{Rule, Tolerance};
use kernel_bench::protocol::Case;
use kernel_spec::workloads::{Compare, Operation, Role, SpecialValues};

/// A rule for each output, in the order in which the reference returns them.
pub(crate) fn of(operation: &Operation, case: &Case) -> Vec<Rule> {
    #[expect(clippy::cast_precision_loss, reason = "no sum has 2^53 terms")]
    let terms = operation.terms.as_ref().and_then(|terms| terms.of(&case.sizes)).unwrap_or(1) as f64;
    // The product rule makes a derivative a sum whose terms may cancel, as that of silu does near -1.28.
    let terms = if case.gradient { terms.max(2.0) } else { terms };
    let rule = |compare: Compare, name: &str| {
        let tensor = case.tensors.iter().find(|tensor| tensor.name == name);
        let allowed = tensor.and_then(|tensor| operation.tolerance.get(&tensor.dtype));
        let row = tensor.and_then(|tensor| tensor.shape.last()).copied().unwrap_or(1);
        Rule {
            compare,
            allowed: allowed.map(|allowed| Tolerance {
                ulp: allowed.ulp,
                relative: allowed.relative,
                absolute: allowed.absolute,
            }),
            terms,
            without_denormals: operation.special_values != SpecialValues::Propagate,
            row: usize::try_from(row).unwrap_or(usize::MAX),
        }
    };
    if case.gradient {
        return operation.grad.iter().map(|name| rule(Compare::Ulp, name)).collect();
    }
    operation.written().map(|tensor| rule(tensor.compare, &tensor.name)).collect()
}

/// The names of those outputs.
pub(super) fn names(operation: &Operation, case: &Case) -> Vec<String> {
    if case.gradient {
        return operation.grad.iter().map(|name| format!("gradient of {name}")).collect();
    }
    operation.written().map(|tensor| tensor.name.clone()).collect()
}

/// Whether a call may change what is in a tensor.
pub(super) fn may_change(case: &Case, name: &str) -> bool {
    let is_aliased = case.alias.as_ref().is_some_and(|(_, input)| input == name);
    is_aliased || case.tensors.iter().any(|tensor| tensor.name == name && tensor.role == Role::Inout)
}
