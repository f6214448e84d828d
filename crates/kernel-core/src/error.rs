//! The one error type of the verbs: every stage keeps its own typed errors, and they meet here.

use camino::Utf8PathBuf;
use kernel_spec::error::Faults;
use miette::Diagnostic;
use thiserror::Error;

/// Why a verb could not do what it was asked.
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    /// Several independent faults.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Faults(#[from] Faults),

    /// A file could not be read or written; the cause names the path.
    #[error("could not use a file of the project or of the cache")]
    #[diagnostic(code("environment/file"), help("look at the path and the system's reason above"))]
    File(#[from] std::io::Error),

    /// A file that is needed cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Unreadable(#[from] crate::regular::Unreadable),

    /// A file of somebody else would be written over.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Occupied(#[from] crate::occupied::Occupied),

    /// A child process did not do its work.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Process(#[from] crate::process::ProcessError),

    /// A directory tree could not be walked.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Tree(#[from] crate::tree::TreeError),

    /// A variant has no digest.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Digest(#[from] crate::digest::DigestError),

    /// The user's matrix cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Matrix(#[from] crate::matrix::MatrixFileError),

    /// The description of a machine cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Machine(#[from] crate::verbs::variants::MachineError),

    /// There is no usable Python.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Host(#[from] crate::host::HostError),

    /// A variant could not be sealed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Seal(#[from] crate::seal::SealError),

    /// A finished link cannot be judged.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Review(#[from] crate::toolchain::sysroot::review::ReviewError),

    /// No variant was chosen.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Choice(#[from] crate::verbs::build::ChoiceError),

    /// There is nothing to compile with.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Toolchain(#[from] crate::toolchain::parts::ToolchainError),

    /// The engine did not build.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Engine(#[from] crate::engine::EngineError),

    /// A name cannot be written into a generated file.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Unwritable(#[from] crate::render::escape::Unwritable),

    /// A library could not be stamped.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Stamp(#[from] crate::stamp::StampError),

    /// There is no built variant.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoVariants(#[from] crate::artifacts::NoVariants),

    /// There are built variants in several places.
    #[error(transparent)]
    #[diagnostic(transparent)]
    SeveralPlaces(#[from] crate::artifacts::SeveralPlaces),

    /// There is nothing to test.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Test(#[from] crate::verbs::test::TestError),

    /// A suite did not run to its end.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Suite(#[from] crate::suite::SuiteError),

    /// A benchmark did not run to its end.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Bench(#[from] crate::bench::BenchError),

    /// A card could not be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Card(#[from] crate::card::CardError),

    /// The network did not answer as hoped.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Network(#[from] kernel_hub::http::HttpError),

    /// The Hub refused.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Hub(#[from] kernel_hub::hub::HubError),

    /// There is nothing to upload, or nowhere to.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Upload(#[from] crate::upload::UploadError),

    /// Variants make no set.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Collect(#[from] crate::verbs::collect::CollectError),

    /// There are no pins to run with.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Pins(#[from] crate::verbs::run::PinsError),

    /// The hook of a run would be out of reach.
    #[error(transparent)]
    #[diagnostic(transparent)]
    UnreachableHook(#[from] crate::verbs::run::UnreachableError),

    /// A baseline is not there.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Baseline(#[from] crate::verbs::run::BaselineError),

    /// Nothing can be pinned.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Pin(#[from] crate::verbs::pin::PinError),

    /// A published kernel cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Published(#[from] crate::published::PublishedError),

    /// Nothing could be signed, or nothing can be verified.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trust(#[from] kernel_trust::TrustError),

    /// Only a part of a set is signed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    HalfSigned(#[from] crate::verbs::sign::HalfSigned),

    /// What was verified before cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Seen(#[from] crate::trust::seen::SeenError),

    /// A folder that a build writes to is outside the project.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Link(#[from] Box<crate::verbs::build::LeadsOut>),

    /// A part of a toolchain could not be fetched.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] crate::toolchain::store::StoreError),

    /// A text names no part of a toolchain.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Part(#[from] crate::verbs::toolchain::WrongPart),

    /// Nothing is compiled that could be locked.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NothingToLock(#[from] crate::verbs::toolchain::NothingToLock),

    /// A skill could not be installed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Skills(#[from] crate::verbs::skills::SkillsError),

    /// There is no manifest.
    #[error("`{directory}` has no `build.toml`")]
    #[diagnostic(
        code("manifest/not-found"),
        help("give the directory of a kernel project, or make one with `kernel-builder init`")
    )]
    NoManifest {
        /// The directory that was looked at.
        directory: Utf8PathBuf,
    },

    /// The manifest is there and could not be read.
    #[error("`{path}` cannot be read")]
    #[diagnostic(
        code("manifest/unreadable"),
        help("make it a regular file that the user of this command may read")
    )]
    UnreadableManifest {
        /// The manifest, as the user would name it.
        path: Utf8PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },

    /// The user asked for the end.
    #[error("interrupted")]
    #[diagnostic(code("internal/interrupted"), help("run the same command again; finished work is kept"))]
    Interrupted,
}

/// The result of a verb or a stage.
pub type Result<T, E = Error> = std::result::Result<T, E>;
