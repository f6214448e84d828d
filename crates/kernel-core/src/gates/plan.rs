//! What is tried at each gate: pure, from the declaration, the level and a seed.

use kernel_bench::protocol::{Case, Random, Values};
use kernel_spec::report::gates::{Gate, Level};
use kernel_spec::workloads::{CaseTensor, Layout, Operation, Role, Sizes};

use super::breadth::Breadth;
use super::{shapes, special};

/// Elements of the largest tensor where memory is weighed: 256 KiB of float32.
const WEIGHED: u64 = 1 << 16;

/// One thing to try.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) case: Case,
    pub(super) how: How,
}

/// How it is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Judged on so many sets of inputs.
    Sets(usize),
    /// It has to raise an exception.
    Refused,
    /// Judged so often on one set.
    Again(usize),
    /// With one thread and with several.
    Threads,
    /// In several threads at once, so often in each.
    Together(u32),
    /// Memory is weighed over so many calls.
    Memory(u32),
    /// New inputs at old addresses, with another case in between.
    Between,
}

/// What is tried at a gate, or why nothing is.
pub(super) type Trials = Result<Vec<Trial>, String>;

/// The trials of an operation.
pub(super) struct Plan<'a> {
    operation: &'a Operation,
    breadth: Breadth,
    /// Awkward sizes; the second and third are of primes.
    awkward: Vec<Sizes>,
    /// Name of the device, as torch calls it.
    device: &'a str,
}

impl<'a> Plan<'a> {
    pub(super) fn new(operation: &'a Operation, level: Level, device: &'a str, random: &mut Random) -> Self {
        let breadth = Breadth::of(level);
        let awkward = shapes::awkward(operation, breadth.shapes, breadth.elements, random);
        Self { operation, breadth, awkward, device }
    }

    /// What is tried at a gate.
    pub(super) fn at(&self, gate: Gate) -> Trials {
        let on_cpu = self.device == "cpu";
        let once = |case: Case| Trial { case, how: How::Sets(1) };
        match gate {
            Gate::Values => Ok(self.workloads()),
            Gate::Shapes => Ok(self.of_each_type(&self.awkward).map(|case| once(guarded(case))).collect()),
            Gate::Layouts => self.layouts(),
            Gate::SpecialValues => self.special_values(),
            Gate::Poison => Ok(self
                .of_each_type(self.ordinary(2))
                .map(|case| once(Case { poisoned_memory: true, ..case }))
                .collect()),
            Gate::Guards if !self.writes_to_ours() => {
                Err("its outputs are returned, in memory that is not ours".to_owned())
            }
            Gate::Guards => Ok(self.of_each_type(self.ordinary(3)).map(|case| once(guarded(case))).collect()),
            Gate::Mutation => Ok(self.mutation()),
            Gate::Placement => Ok(self.of_each_type(self.ordinary(1)).map(once).collect()),
            Gate::Determinism => Ok(self.each(self.ordinary(2), How::Again(self.breadth.repeats))),
            Gate::Threads if !on_cpu => {
                Err("only a kernel for the CPU is called from several threads".to_owned())
            }
            Gate::Threads => {
                let mut trials = self.each(self.ordinary(2), How::Threads);
                trials.extend(self.each(self.ordinary(1), How::Together(self.breadth.together)));
                Ok(trials)
            }
            Gate::Gradients => self.gradients(),
            Gate::NoAccelerator if on_cpu => Err("a kernel for the CPU needs no accelerator".to_owned()),
            Gate::NoAccelerator => Err("the accelerator is here".to_owned()),
            Gate::Memory => {
                Ok(self.each(self.weighable(), How::Memory(self.breadth.calls)).into_iter().take(1).collect())
            }
            Gate::State => Ok(self.each(self.ordinary(2), How::Between)),
        }
    }

    /// A case of each type for each of these sizes.
    fn of_each_type<'s>(&'s self, sizes: &'s [Sizes]) -> impl Iterator<Item = Case> + 's {
        sizes.iter().flat_map(|sizes| {
            self.operation.dtypes.iter().filter_map(|dtype| ordinary(self.operation, sizes, dtype))
        })
    }

    fn each(&self, sizes: &[Sizes], how: How) -> Vec<Trial> {
        self.of_each_type(sizes).map(|case| Trial { case, how }).collect()
    }

    /// Sizes that are neither of ones nor empty, where there are such.
    fn ordinary(&self, count: usize) -> &[Sizes] {
        let first = self.awkward.iter().position(|sizes| sizes.values().any(|size| *size > 1)).unwrap_or(0);
        let rest = &self.awkward[first..];
        &rest[..count.min(rest.len())]
    }

    /// The largest sizes whose calls are quick: an output that is left behind shows beside what allocators keep for themselves.
    fn weighable(&self) -> &[Sizes] {
        let elements = |sizes: &Sizes| shapes::largest(self.operation, sizes).unwrap_or(u64::MAX);
        let quick = self.awkward.iter().enumerate().filter(|(_, sizes)| elements(sizes) <= WEIGHED);
        match quick.max_by_key(|(_, sizes)| elements(sizes)) {
            Some((at, _)) => &self.awkward[at..=at],
            None => self.ordinary(1),
        }
    }

    /// The workloads, but for those that are too large for the level; at least the smallest. Where there are none, any shape.
    fn workloads(&self) -> Vec<Trial> {
        if self.operation.workloads.is_empty() {
            return self.each(self.ordinary(2), How::Sets(self.breadth.sets));
        }
        let size = |sizes: &Sizes| shapes::largest(self.operation, sizes).unwrap_or(u64::MAX);
        let smallest =
            self.operation.workloads.iter().map(|workload| size(&workload.sizes)).min().unwrap_or(0);
        let most = self.breadth.workload.max(smallest);
        let mut trials = Vec::new();
        for workload in self.operation.workloads.iter().filter(|workload| size(&workload.sizes) <= most) {
            let dtypes = workload.dtypes.as_ref().unwrap_or(&self.operation.dtypes);
            let cases = dtypes.iter().filter_map(|dtype| ordinary(self.operation, &workload.sizes, dtype));
            trials.extend(cases.map(|case| Trial { case, how: How::Sets(self.breadth.sets) }));
        }
        trials
    }

    /// Whether the call is given a tensor to write to.
    fn writes_to_ours(&self) -> bool {
        self.operation.written().any(|tensor| self.operation.call.passes(&tensor.name))
    }

    fn layouts(&self) -> Trials {
        if self.operation.inputs.is_some() {
            return Err("its inputs are made by a function of its own".to_owned());
        }
        let passes_output = self
            .operation
            .written()
            .any(|tensor| tensor.role == Role::Output && self.operation.call.passes(&tensor.name));
        let mut trials = Vec::new();
        for case in self.of_each_type(self.ordinary(self.breadth.layouts)) {
            for layout in Layout::ALL.iter().copied().filter(|layout| *layout != Layout::Contiguous) {
                let values = if layout == Layout::Expanded { Values::Repeated } else { Values::Normal };
                let refused = self.operation.unsupported_layouts.contains(&layout);
                let how = if refused { How::Refused } else { How::Sets(1) };
                trials.push(Trial { case: guarded(Case { layout, values, ..case.clone() }), how });
                // Nothing can be written to a row that is repeated.
                if passes_output && layout != Layout::Expanded {
                    trials.push(Trial { case: guarded(Case { output_layout: layout, ..case.clone() }), how });
                }
            }
        }
        Ok(trials)
    }

    fn special_values(&self) -> Trials {
        let all = special::values(self.operation).map_err(str::to_owned)?;
        let cases = self.of_each_type(self.ordinary(self.breadth.special));
        let with = |case: Case| all.clone().into_iter().map(move |values| Case { values, ..case.clone() });
        Ok(cases.flat_map(with).map(|case| Trial { case, how: How::Sets(1) }).collect())
    }

    fn mutation(&self) -> Vec<Trial> {
        let plain: Vec<Case> = self.of_each_type(self.ordinary(1)).collect();
        let aliased = self.operation.aliasing.iter().flat_map(|pair| {
            plain.iter().map(move |case| Case { alias: Some(pair.clone()), ..case.clone() })
        });
        let all: Vec<Case> = aliased.collect();
        plain.into_iter().chain(all).map(|case| Trial { case, how: How::Sets(1) }).collect()
    }

    fn gradients(&self) -> Trials {
        if self.operation.grad.is_empty() {
            return Err("no gradient is declared".to_owned());
        }
        if self.writes_to_ours() {
            return Err("an output that the call is given has no gradient".to_owned());
        }
        let sizes = self.ordinary(self.breadth.gradients);
        Ok(self
            .of_each_type(sizes)
            .map(|case| Trial { case: with_gradient(case), how: How::Sets(1) })
            .collect())
    }
}

/// A call with nothing special about it.
pub(crate) fn ordinary(operation: &Operation, sizes: &Sizes, dtype: &str) -> Option<Case> {
    Some(Case {
        operation: operation.name.clone(),
        tensors: operation.tensors_of(sizes, dtype)?,
        sizes: sizes.clone(),
        dtype: dtype.to_owned(),
        arguments: operation.arguments.clone(),
        values: Values::Normal,
        layout: Layout::Contiguous,
        output_layout: Layout::Contiguous,
        alias: None,
        gradient: false,
        guarded: false,
        poisoned_memory: false,
        given: false,
    })
}

fn guarded(case: Case) -> Case {
    Case { guarded: true, ..case }
}

/// The case with what comes back from each output.
fn with_gradient(mut case: Case) -> Case {
    let outputs = case.tensors.iter().filter(|tensor| tensor.role == Role::Output);
    let backward: Vec<CaseTensor> = outputs
        .map(|tensor| CaseTensor {
            name: format!("grad_{}", tensor.name),
            role: Role::Constant,
            ..tensor.clone()
        })
        .collect();
    case.tensors.extend(backward);
    case.gradient = true;
    case
}
