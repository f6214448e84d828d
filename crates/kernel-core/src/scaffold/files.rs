//! The files of a sample project as text: templates and values become contents, nothing is written yet.

use std::collections::BTreeMap;

use kernel_spec::Backend;
use minijinja::context;

use super::identity::Identity;
use super::sample::Sample;
use crate::render::templates::environment;

/// The files of a project, by path.
pub(super) fn render(
    sample: Sample,
    identity: &Identity,
    backends: &[Backend],
    license: &str,
) -> BTreeMap<String, String> {
    let python_name = identity.name.python_name();
    let environment = environment();
    let values = context! {
        name => identity.name.as_str(),
        python_name => &python_name,
        macro_name => python_name.to_uppercase(),
        class_name => class_name(identity.name.as_str()),
        repo_id => identity.repo_id(),
        license => license,
        framework => sample.name(),
        backends => backends.iter().map(|backend| backend.as_str()).collect::<Vec<_>>(),
        version => 1,
    };
    sample
        .templates(backends)
        .map(|(path, text)| {
            let content = environment.render_str(text, &values);
            let content = content.unwrap_or_else(|error| panic!("the template `{path}` renders: {error}"));
            (path.replace("@python_name@", &python_name), content)
        })
        .collect()
}

/// `my-kernel` as a Python class: `MyKernel`.
fn class_name(name: &str) -> String {
    let capitalised = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('-').map(capitalised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_spec::SourceText;
    use kernel_spec::manifest::parse;

    fn project(sample: Sample, backends: &[Backend], license: &str) -> BTreeMap<String, String> {
        let identity = Identity { owner: "acme".to_owned(), name: "gated-act".parse().expect("a name") };
        render(sample, &identity, backends, license)
    }

    fn sources(manifest: &str) -> Vec<String> {
        let table: toml::Table = manifest.parse().expect("TOML");
        let mut listed = Vec::new();
        let mut open: Vec<&toml::Value> = table.values().collect();
        while let Some(value) = open.pop() {
            if let Some(inner) = value.as_table() {
                let paths = inner.get("src").and_then(toml::Value::as_array);
                listed
                    .extend(paths.into_iter().flatten().filter_map(|path| path.as_str().map(str::to_owned)));
                open.extend(inner.values());
            }
        }
        listed
    }

    #[test]
    fn every_sample_has_a_faultless_manifest_and_the_files_it_names() {
        for sample in Sample::ALL {
            let all = sample.backends();
            let each = all.iter().map(std::slice::from_ref);
            for backends in each.chain([all, sample.default_backends()]) {
                let files = project(sample, backends, "Apache-2.0");
                let manifest = &files["build.toml"];
                let parsed = parse(&SourceText::new("build.toml", manifest.as_str()));
                assert!(parsed.findings.is_empty(), "{sample:?} {backends:?}: {:?}", parsed.findings);
                let native = sample != Sample::TorchNoarch;
                let listed = sources(manifest);
                assert_eq!(!listed.is_empty(), native, "{sample:?}");
                for path in listed {
                    assert!(files.contains_key(&path), "{sample:?} {backends:?}: {path}");
                }
                for (path, text) in &files {
                    assert!(text.ends_with('\n') && !text.starts_with('\n'), "{sample:?} {path}");
                    assert!(!path.contains('@'), "{path}");
                }
            }
        }
    }

    #[test]
    fn a_hostile_license_stays_a_string() {
        let license = "MIT\"\n[torch]\nsrc = [\"/etc/passwd\"] ${x} \\";
        let files = project(Sample::Torch, &[Backend::Cpu], license);
        let table: toml::Table = files["build.toml"].parse().expect("TOML");
        assert_eq!(table["general"]["license"].as_str(), Some(license));
    }
}
