//! The sample projects: which framework has which backends, and from which folders of the templates each is put together.

use kernel_spec::Backend;

/// Every file of the templates: its path below `templates/project`, and its text.
static TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/project_templates.rs"));

/// A kind of sample project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// C++ bound to one version of torch.
    Torch,
    /// C++ bound to torch's stable ABI: one build for many versions.
    TorchStable,
    /// C++ bound to tvm-ffi, for any array library.
    TvmFfi,
    /// Triton, for torch; nothing is compiled ahead of time.
    TorchNoarch,
}

impl Sample {
    /// Every kind.
    pub const ALL: [Sample; 4] = [Sample::Torch, Sample::TorchStable, Sample::TvmFfi, Sample::TorchNoarch];

    /// Its name on the command line and in templates.
    pub fn name(self) -> &'static str {
        match self {
            Sample::Torch => "torch",
            Sample::TorchStable => "torch-stable",
            Sample::TvmFfi => "tvm-ffi",
            Sample::TorchNoarch => "torch-noarch",
        }
    }

    /// The backends it has sources for.
    pub fn backends(self) -> &'static [Backend] {
        match self {
            Sample::Torch => &[Backend::Cpu, Backend::Cuda, Backend::Metal, Backend::Rocm, Backend::Xpu],
            Sample::TorchStable => &[Backend::Cpu, Backend::Cuda, Backend::Rocm],
            Sample::TvmFfi => &[Backend::Cpu, Backend::Cuda],
            Sample::TorchNoarch => &[Backend::Cpu, Backend::Cuda, Backend::Rocm, Backend::Xpu],
        }
    }

    /// The backends of a project when none are named: what every machine builds, or all where nothing is compiled.
    pub fn default_backends(self) -> &'static [Backend] {
        match self {
            Sample::TorchNoarch => self.backends(),
            _ => &[Backend::Cpu],
        }
    }

    /// The templates of a project: path in the project, still with placeholders, and text.
    pub(super) fn templates(
        self,
        backends: &[Backend],
    ) -> impl Iterator<Item = (&'static str, &'static str)> {
        let folders = self.folders(backends);
        TEMPLATES.iter().filter_map(move |(path, text)| {
            let inside = |folder: &String| path.strip_prefix(folder.as_str())?.strip_prefix('/');
            let path = folders.iter().find_map(inside)?;
            Some((path.strip_suffix(".j2").unwrap_or(path), *text))
        })
    }

    fn folders(self, backends: &[Backend]) -> Vec<String> {
        let shared: &[&str] = match self {
            Sample::Torch | Sample::TorchStable => &["shared/torch", "shared/torch-native", "shared/native"],
            Sample::TvmFfi => &["shared/native"],
            Sample::TorchNoarch => &["shared/torch"],
        };
        let mut folders = vec!["base".to_owned(), format!("framework/{}", self.name())];
        folders.extend(shared.iter().map(|folder| (*folder).to_owned()));
        if self != Sample::TorchNoarch {
            for backend in backends {
                // ROCm is built from the CUDA sources.
                let backend = if *backend == Backend::Rocm { Backend::Cuda } else { *backend };
                folders.push(format!("backend/{backend}/any"));
                folders.push(format!("backend/{backend}/{}", self.name()));
            }
        }
        folders
    }
}
