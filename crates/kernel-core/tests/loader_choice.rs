//! The real loader as oracle: over generated machines and sets of variants our decision must be the same in verdict,
//! reason and order, and our reading of names the same as well.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use kernel_core::Context;
use kernel_core::context::{Cancellation, Environment};
use kernel_core::process::Command;
use kernel_spec::Backend;
use kernel_spec::event::Silent;
use kernel_spec::selection::{Decision, MachineDescription, decide};
use kernel_spec::variant::{Compute, FrameworkAbi, LoaderName};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Request {
    names: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Clone, Serialize)]
struct Case {
    machine: MachineDescription,
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<Backend>,
}

#[derive(Deserialize)]
struct Reply {
    readings: Vec<Option<String>>,
    decisions: Vec<Verdicts>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Verdicts {
    refused: bool,
    trace: Vec<(String, Option<String>)>,
}

/// Few enough values that they meet, from a generator that is the same on every run.
struct Generator(u64);

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn pick<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len())]
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn name(&mut self) -> String {
        let framework = match self.below(8) {
            0..=2 => {
                format!("torch{}{}", self.pick(&["29", "210", "215"]), self.pick(&["", "-cxx11", "-cxx98"]))
            }
            3 | 4 => format!("torch-stable-abi{}", self.pick(&["29", "211", "215", "216", "30"])),
            5 => format!("tvm-ffi{}", self.pick(&["01", "02", "10"])),
            _ => return format!("torch{}", self.noarch()),
        };
        format!("{framework}-{}-{}", self.compute(), self.system())
    }

    /// A name that has good chances on a machine, so that accepted variants meet.
    fn name_for(&mut self, machine: &MachineDescription) -> String {
        let torch = machine
            .torch
            .as_ref()
            .map_or("215".to_owned(), |torch| format!("{}{}", torch.version.major(), torch.version.minor()));
        let tvm_ffi = machine
            .tvm_ffi
            .as_ref()
            .map_or("01".to_owned(), |version| format!("{}{}", version.major(), version.minor()));
        let backend = machine.detected_backend();
        let compute = match self.below(4) {
            0 => self.compute().to_owned(),
            1 | 2 if backend.backend() == Backend::Cuda => self.pick(&["cu130", "cu131", "cu132"]).to_owned(),
            _ => backend.name_in_variants(),
        };
        let framework = match self.below(9) {
            0..=3 => format!("torch{torch}{}", self.pick(&["", "-cxx11", "-cxx98"])),
            4 | 5 => format!("torch-stable-abi{}", self.pick(&["28", "29", "210", "30"])),
            6 | 7 => format!("tvm-ffi{tvm_ffi}"),
            _ => return format!("torch-{}", backend.backend().row().noarch_name),
        };
        format!("{framework}-{compute}-{}-{}", machine.cpu, machine.os)
    }

    fn noarch(&mut self) -> String {
        let known =
            ["-cuda", "-cpu", "-rocm", "-xpu", "-metal", "-npu", "-cann", "-tpu", "-neuron", "", "-a-b"];
        if self.one_in(3) { "-universal".to_owned() } else { self.pick(&known).to_owned() }
    }

    fn compute(&mut self) -> &'static str {
        let others = ["cpu", "metal", "neuron", "tpu", "rocm71", "rocm72", "xpu20253", "xpu20260", "cann82"];
        let cuda = ["cu126", "cu130", "cu132", "cu134", "cu1210"];
        if self.one_in(2) { self.pick(&cuda) } else { self.pick(&others) }
    }

    fn system(&mut self) -> &'static str {
        let all = [
            "x86_64-linux",
            "aarch64-linux",
            "aarch64-darwin",
            "x86_64-windows",
            "riscv64-linux",
            "x86_64-hurd",
        ];
        if self.one_in(3) { self.pick(&all) } else { self.pick(&["x86_64-linux", "aarch64-darwin"]) }
    }

    fn machine(&mut self) -> MachineDescription {
        let systems =
            [("x86_64", "linux"), ("aarch64", "linux"), ("aarch64", "darwin"), ("x86_64", "windows")];
        let (cpu, os) = systems[[0, 0, 0, 1, 2, 2, 3][self.below(7)]];
        let mut text = format!("cpu = \"{cpu}\"\nos = \"{os}\"\n");
        let python = self.pick(&["3.11", "3.14", "3.15", "3.16"]);
        writeln!(text, "python = \"{python}\"\nfree-threaded = {}", self.one_in(8)).expect("a string");
        let mut add = |key: &str, value: &str, present: bool| {
            if present {
                writeln!(text, "{key} = \"{value}\"").expect("a string");
            }
        };
        add("macos", self.pick(&["15.7", "26.0", "26.1.2"]), os == "darwin" && !self.one_in(6));
        add("tvm-ffi", self.pick(&["0.1.15", "0.2", "1.0.1"]), !self.one_in(4));
        add("cuda-runtime", self.pick(&["12.6", "13.2"]), self.one_in(2));
        if !self.one_in(8) {
            text += &self.torch(os);
        }
        toml::from_str(&text).expect("a machine")
    }

    fn torch(&mut self, os: &str) -> String {
        let mut text =
            format!("[torch]\nversion = \"{}\"\n", self.pick(&["2.9.1", "2.10", "2.15.0", "3.0.0"]));
        writeln!(text, "cxx11-abi = {}", !self.one_in(3)).expect("a string");
        let facts: &[&str] = if os == "darwin" {
            &["metal = true", "metal = true", "metal = true", ""]
        } else {
            &[
                "cuda = \"12.6\"",
                "cuda = \"13.0\"",
                "cuda = \"13.2\"",
                "cuda = \"13.2\"",
                "cuda = \"13\"",
                "rocm = \"7.1.52802\"",
                "rocm = \"7.2\"",
                "xpu = \"2025.3\"",
                "cann = \"8.2.0\"",
                "tpu = true",
                "neuron = true",
                "",
            ]
        };
        text += self.pick(facts);
        // More than one at once: the order of detection decides.
        for fact in ["neuron = true", "metal = true", "rocm = \"7.1\"", "xpu = \"2026.0\""] {
            let key = fact.split(' ').next().unwrap_or_default();
            if self.one_in(12) && !text.contains(key) {
                write!(text, "\n{fact}").expect("a string");
            }
        }
        text
    }
}

fn requests() -> Request {
    let mut generator = Generator(2026);
    let mut cases = Vec::new();
    for _ in 0..600 {
        let machine = generator.machine();
        let mut names: Vec<String> = (0..60)
            .map(|at| if at % 2 == 0 { generator.name() } else { generator.name_for(&machine) })
            .collect();
        names.dedup();
        let backend = match generator.below(8) {
            0 | 1 => Some(Backend::Cpu),
            2 => Some(Backend::Cuda),
            _ => None,
        };
        cases.push(Case { machine, names, backend });
    }
    let mut names: Vec<String> = (0..1000).map(|_| generator.name()).collect();
    for at in 0..3000 {
        let mutated = mutate(&mut generator, &names[at % 1000].clone());
        names.push(mutated);
    }
    Request { names, cases }
}

/// A name with one character removed, doubled or replaced.
fn mutate(generator: &mut Generator, name: &str) -> String {
    let at = generator.below(name.len());
    let (before, rest) = name.split_at(at);
    let (character, after) = rest.split_at(1);
    let other = generator.pick(&["", "-", "0", "1", "x", "_", "A", " "]);
    match generator.below(3) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{character}{character}{after}"),
        _ => format!("{before}{other}{after}"),
    }
}

fn root() -> &'static Utf8Path {
    Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[expect(clippy::disallowed_methods, reason = "a test is told of its Python by a variable")]
fn python() -> Utf8PathBuf {
    std::env::var("KERNEL_BUILDER_PYTHON")
        .map_or_else(|_| root().join(".environment/bin/python"), Utf8PathBuf::from)
}

fn ask(request: &Request) -> Reply {
    let context = Context {
        sink: std::sync::Arc::new(Silent),
        environment: Environment::default(),
        working_directory: root().to_owned(),
        now: 0,
        source_date: 0,
        offline: true,
        cancelled: Cancellation::default(),
    };
    let finished = Command::new(python())
        .arguments(["-I", "-c", include_str!("loader_choice/oracle.py")])
        .input(serde_json::to_vec(request).expect("JSON"))
        .timeout(Duration::from_mins(5))
        .remedy("make the tests' Python environment with `scripts/python-environment`")
        .capture(&context)
        .expect("the oracle runs");
    let finished = finished.require_success().expect("the oracle answers");
    serde_json::from_slice(&finished.stdout).expect("an answer in JSON")
}

fn ours(case: &Case) -> (Verdicts, Vec<Decision>) {
    let names = case.names.iter().filter_map(|name| name.parse::<LoaderName>().ok());
    let Ok(decisions) = decide(names, &case.machine, case.backend) else {
        return (Verdicts { refused: true, trace: Vec::new() }, Vec::new());
    };
    let verdict = |decision: &Decision| {
        (decision.name.to_string(), decision.rejection.as_ref().map(ToString::to_string))
    };
    (Verdicts { refused: false, trace: decisions.trace.iter().map(verdict).collect() }, decisions.trace)
}

/// What put the first of two accepted neighbours before the second.
fn preference(first: &LoaderName, second: &LoaderName) -> String {
    let kind = |name: &LoaderName| match name {
        LoaderName::Arch { framework: FrameworkAbi::TorchStableAbi(_), .. } => "stable-abi",
        LoaderName::Arch { framework: FrameworkAbi::Torch { .. }, .. } => "torch",
        LoaderName::Arch { framework: FrameworkAbi::TvmFfi(_), .. } => "tvm-ffi",
        LoaderName::Noarch(name) if name == "universal" => "universal",
        LoaderName::Noarch(_) => "noarch",
    };
    let parts = |name: &LoaderName| match name {
        LoaderName::Arch { framework, compute, .. } => (Some(*framework), compute.toolkit()),
        LoaderName::Noarch(_) => (None, None),
    };
    let (one, other) = (kind(first), kind(second));
    if one != other {
        return format!("{one} before {other}");
    }
    let ((first_abi, first_toolkit), (second_abi, second_toolkit)) = (parts(first), parts(second));
    match (first_abi == second_abi, first_toolkit == second_toolkit) {
        (true, true) => format!("{one}: equal, by order of arrival"),
        (true, false) => format!("{one}: newer toolkit"),
        (false, _) if one == "torch" => "torch: without ABI tag".to_owned(),
        (false, _) => format!("{one}: newer ABI"),
    }
}

#[test]
fn the_choice_is_the_loaders_own() {
    let request = requests();
    let reply = ask(&request);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (case, theirs) in request.cases.iter().zip(&reply.decisions) {
        let (verdicts, trace) = ours(case);
        let machine = serde_json::to_string(&case.machine).expect("JSON");
        assert_eq!(&verdicts, theirs, "{machine} {:?}", case.backend);
        if verdicts.refused {
            *counts.entry("refused backend".to_owned()).or_default() += 1;
        }
        for decision in &trace {
            let reason = decision.rejection.as_ref().map_or("accepted", |reason| reason.check());
            *counts.entry(format!("verdict {reason}")).or_default() += 1;
        }
        for pair in trace.windows(2).filter(|pair| pair.iter().all(|decision| decision.rejection.is_none())) {
            *counts.entry(format!("tie {}", preference(&pair[0].name, &pair[1].name))).or_default() += 1;
        }
        let compiled = case.names.iter().any(|name| matches!(name.parse(), Ok(LoaderName::Arch { .. })));
        if case.machine.drops_compiled_variants() && compiled {
            *counts.entry("free-threaded, compiled variants passed over".to_owned()).or_default() += 1;
        }
        let backend = case.machine.detected_backend().backend();
        *counts.entry(format!("machine for {backend}")).or_default() += 1;
    }
    for (what, count) in &counts {
        println!("{count:6}  {what}");
    }
    let rare: Vec<_> =
        EXPECTED.iter().filter(|what| counts.get(**what).is_none_or(|count| *count < 20)).collect();
    assert!(rare.is_empty(), "fewer than 20 cases each: {rare:?}");
    assert_eq!(reply.decisions.len(), request.cases.len());
}

/// Every reason and every rule of preference, by the names under which they are counted.
const EXPECTED: &[&str] = &[
    "verdict accepted",
    "verdict cpu",
    "verdict os",
    "verdict torch",
    "verdict cxx-abi",
    "verdict stable-abi",
    "verdict tvm-ffi",
    "verdict cuda",
    "verdict backend",
    "verdict metal",
    "verdict noarch",
    "refused backend",
    "free-threaded, compiled variants passed over",
    "tie stable-abi: newer ABI",
    "tie stable-abi: newer toolkit",
    "tie stable-abi: equal, by order of arrival",
    "tie stable-abi before torch",
    "tie torch: without ABI tag",
    "tie torch: newer toolkit",
    "tie torch: equal, by order of arrival",
    "tie torch before tvm-ffi",
    "tie torch before noarch",
    "tie tvm-ffi: newer toolkit",
    "tie tvm-ffi before noarch",
    "tie noarch before tvm-ffi",
    "tie noarch before universal",
    "machine for cann",
    "machine for cpu",
    "machine for cuda",
    "machine for metal",
    "machine for neuron",
    "machine for rocm",
    "machine for tpu",
    "machine for xpu",
];

#[test]
fn names_are_read_as_the_loader_reads_them() {
    let request = Request { cases: Vec::new(), ..requests() };
    let reply = ask(&request);
    let (mut read, mut refused) = (0, 0);
    for (name, theirs) in request.names.iter().zip(&reply.readings) {
        let ours = name.parse::<LoaderName>().ok().map(|name| name.to_string());
        assert_eq!(&ours, theirs, "{name:?}");
        if theirs.is_some() { read += 1 } else { refused += 1 }
    }
    println!("{read} names read, {refused} refused");
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
    assert!(request.names.iter().any(|name| name.contains(&Compute::Cpu.to_string())));
}
