//! The id must move with everything that makes another kernel, and with nothing else.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::manifest::{BackendDependencies, Edition, General, Hub, StableAbi};

fn at<T>(value: T) -> Located<T> {
    Located::new(value, 0..0)
}

fn texts(values: &[&str]) -> Vec<Located<String>> {
    values.iter().map(|value| at((*value).to_owned())).collect()
}

fn version(text: &str) -> Located<Version> {
    at(text.parse().expect("a version"))
}

fn component(name: &str, backend: Backend, target: Target) -> Component {
    Component {
        name: at(name.to_owned()),
        backend: at(backend),
        depends: texts(&["torch", "cutlass_4_0"]),
        sources: texts(&["k/a.cpp", "k/b.cpp"]),
        include: texts(&["k", "inc"]),
        cxx_flags: texts(&["-DA", "-DB"]),
        target,
    }
}

fn manifest() -> Manifest {
    let cuda = Target::Cuda {
        capabilities: Some(texts(&["8.0", "9.0a"])),
        flags: texts(&["-lineinfo"]),
        minimum: Some(version("12.6")),
    };
    let rocm = Target::Rocm { architectures: Some(texts(&["gfx90a"])), flags: texts(&["-munsafe"]) };
    Manifest {
        edition: Edition::Five,
        general: General {
            name: at("my-kernel".parse().expect("a name")),
            version: at(1),
            license: at("MIT".to_owned()),
            backends: vec![at(Backend::Cuda), at(Backend::Rocm)],
            upstream: None,
            source: None,
            python_depends: Vec::new(),
            kernel_depends: Vec::new(),
            hub: Hub::default(),
            cuda_minimum: None,
            cuda_maximum: None,
            by_backend: BTreeMap::new(),
        },
        binding: Binding::Torch(TorchBinding {
            common: CompiledBinding {
                sources: texts(&["torch-ext/binding.cpp", "torch-ext/binding.h"]),
                include: texts(&["."]),
                python_extensions: Some(texts(&["py", "json"])),
                cxx_flags: texts(&["-DX"]),
            },
            minimum: Some(version("2.10")),
            maximum: None,
            stable_abi: StableAbi::None,
        }),
        components: vec![
            component("one", Backend::Cuda, cuda.clone()),
            component("two", Backend::Cuda, cuda),
            component("other", Backend::Rocm, rocm),
        ],
    }
}

fn inputs() -> BTreeMap<String, InputDigest> {
    [("k/a.cpp", 1), ("k/b.cpp", 2)].map(|(path, byte)| (path.to_owned(), [byte; 32])).into()
}

fn id(manifest: &Manifest) -> String {
    Identifier::of(manifest, Backend::Cuda, &inputs()).to_string()
}

fn torch(manifest: &mut Manifest) -> &mut TorchBinding {
    match &mut manifest.binding {
        Binding::Torch(torch) => torch,
        _ => unreachable!("the test's manifest binds to torch"),
    }
}

type Change = (&'static str, fn(&mut Manifest));

#[test]
fn what_does_not_make_another_kernel_does_not_change_the_id() {
    let changes: &[Change] = &[
        ("edition", |m| m.edition = Edition::Four),
        ("license", |m| m.general.license = at("Apache-2.0".to_owned())),
        ("source", |m| m.general.source = Some(at("https://example.org/x".to_owned()))),
        ("hub", |m| m.general.hub.repo_id = Some(at("o/n".to_owned()))),
        ("python-depends", |m| m.general.python_depends = texts(&["einops"])),
        ("cuda bounds", |m| m.general.cuda_maximum = Some(version("13.0"))),
        ("dependencies of a backend", |m| {
            m.general.by_backend.insert(Backend::Cuda, BackendDependencies::default());
        }),
        ("backends", |m| m.general.backends.reverse()),
        ("order of tables", |m| m.components.reverse()),
        ("a component of another backend", |m| m.components.truncate(2)),
        ("order of dependencies", |m| m.components[0].depends.reverse()),
        ("spelling of a path", |m| m.components[0].sources[0] = at("./k/x/../a.cpp".to_owned())),
        ("a path twice", |m| m.components[0].sources.push(at("k//a.cpp".to_owned()))),
        ("order of extensions", |m| torch(m).common.python_extensions = Some(texts(&["json", "py"]))),
        ("order of capabilities", |m| {
            if let Target::Cuda { capabilities: Some(list), .. } = &mut m.components[0].target {
                list.reverse();
            }
        }),
        ("stable ABI of another backend", |m| {
            torch(m).stable_abi = StableAbi::ByBackend([(Backend::Rocm, version("2.11"))].into());
        }),
    ];
    let before = id(&manifest());
    for (what, change) in changes {
        let mut changed = manifest();
        change(&mut changed);
        assert_eq!(id(&changed), before, "{what}");
    }
}

#[test]
fn every_meaningful_change_gives_an_id_of_its_own() {
    let changes: &[Change] = &[
        ("name", |m| m.general.name = at("my-kernel2".parse().expect("a name"))),
        ("version", |m| m.general.version = at(2)),
        ("sources", |m| {
            torch(m).common.sources.pop();
        }),
        ("order of sources", |m| m.components[0].sources.reverse()),
        ("include", |m| torch(m).common.include = texts(&["inc"])),
        ("order of include", |m| m.components[0].include.reverse()),
        ("extensions", |m| torch(m).common.python_extensions = None),
        ("flags", |m| torch(m).common.cxx_flags = texts(&["-DY"])),
        ("order of flags", |m| m.components[0].cxx_flags.reverse()),
        ("one flag of two", |m| m.components[0].cxx_flags = texts(&["-DA -DB"])),
        ("minver", |m| torch(m).minimum = None),
        ("minver of three parts", |m| torch(m).minimum = Some(version("2.10.0"))),
        ("maxver", |m| torch(m).maximum = Some(version("2.13"))),
        ("stable ABI", |m| torch(m).stable_abi = StableAbi::All(version("2.11"))),
        ("a component less", |m| {
            m.components.remove(0);
        }),
        ("name of a component", |m| m.components[0].name = at("uno".to_owned())),
        ("dependencies", |m| m.components[0].depends = texts(&["torch"])),
        ("a flag moves to another component", |m| {
            let flag = m.components[0].cxx_flags.pop().expect("a flag");
            m.components[1].cxx_flags.push(flag);
        }),
        ("default capabilities", |m| {
            if let Target::Cuda { capabilities, .. } = &mut m.components[0].target {
                *capabilities = None;
            }
        }),
        ("cuda flags", |m| {
            if let Target::Cuda { flags, .. } = &mut m.components[0].target {
                flags.clear();
            }
        }),
        ("cuda-minver", |m| {
            if let Target::Cuda { minimum, .. } = &mut m.components[0].target {
                *minimum = None;
            }
        }),
        ("framework", |m| {
            m.binding = Binding::TvmFfi(crate::manifest::TvmFfiBinding { common: torch(m).common.clone() });
        }),
    ];
    let mut seen = BTreeMap::from([(id(&manifest()), "nothing")]);
    for (what, change) in changes {
        let mut changed = manifest();
        change(&mut changed);
        if let Some(other) = seen.insert(id(&changed), what) {
            panic!("{what} gives the same id as {other}");
        }
    }
}

#[test]
fn inputs_and_backend_are_part_of_it() {
    let of = |backend, inputs: BTreeMap<String, InputDigest>| {
        Identifier::of(&manifest(), backend, &inputs).to_string()
    };
    let before = of(Backend::Cuda, inputs());
    let with = |path: &str, byte| {
        let mut changed = inputs();
        changed.insert(path.to_owned(), [byte; 32]);
        of(Backend::Cuda, changed)
    };
    let unique = |id: &str| id.rsplit('_').next().map(str::to_owned);
    assert_ne!(with("k/a.cpp", 9), before);
    assert_ne!(with("k/c.h", 1), before);
    assert_ne!(unique(&of(Backend::Rocm, inputs())), unique(&before));
}

/// Ids are in published artifacts: this one may change only together with `RULE`.
#[test]
fn the_rule_is_frozen() {
    assert_eq!(RULE, 1);
    insta::assert_snapshot!(canonical(&manifest(), Backend::Rocm, &inputs()));
    insta::assert_snapshot!(id(&manifest()));
}

#[test]
fn base32_is_that_of_the_rfc() {
    for (text, digits) in [("foobar", "mzxw6ytbo"), ("fooba", "mzxw6ytb"), ("", "")] {
        assert_eq!(base32(text.as_bytes()), digits);
    }
}

#[test]
fn ids_of_other_tools_are_recognised() {
    assert!(belongs_to(&id(&manifest()), "my_kernel", Backend::Cuda));
    assert!(belongs_to("_my_kernel_cuda_7a4e5a7_dirty", "my_kernel", Backend::Cuda));
    for id in ["_my_kernel_cpu_7a4e5a7", "_my_kernel_cuda_", "my_kernel_cuda_1", "_my_kernel_cuda_a-b"] {
        assert!(!belongs_to(id, "my_kernel", Backend::Cuda), "{id}");
    }
}

proptest! {
    #[test]
    fn an_id_is_an_identifier(bytes in any::<[u8; 32]>(), name in "[a-z][-a-z0-9]{0,20}[a-z0-9]") {
        let mut manifest = manifest();
        manifest.general.name = at(name.parse().expect("a name"));
        let id = Identifier::of(&manifest, Backend::Cpu, &[("x".to_owned(), bytes)].into());
        prop_assert_eq!(id.unique().len(), 13);
        let text = id.to_string();
        prop_assert!(text.starts_with('_') && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        prop_assert!(belongs_to(&text, &manifest.general.name.python_name(), Backend::Cpu));
    }

    #[test]
    fn different_lists_have_different_texts(
        left in prop::collection::vec("[-a:1\n ]{0,4}", 0..4),
        right in prop::collection::vec("[-a:1\n ]{0,4}", 0..4),
        flags in prop::collection::vec("[-a:1\n ]{0,4}", 0..4),
    ) {
        let text = |includes: &[String]| {
            let mut manifest = manifest();
            let located = |list: &[String]| list.iter().cloned().map(at).collect::<Vec<_>>();
            manifest.components[0].cxx_flags = located(includes);
            manifest.components[1].cxx_flags = located(&flags);
            canonical(&manifest, Backend::Cuda, &inputs())
        };
        prop_assert_eq!(left == right, text(&left) == text(&right));
    }
}
