//! Runs the real binary as a user does; one module per area. Snapshots hold exit status, standard output and standard
//! error; `INSTA_UPDATE=always cargo nextest run -p kernel-builder` writes them anew.

mod abi;
mod audit;
mod bench;
mod bounded;
mod build;
mod card;
mod causes;
mod check;
mod clean;
mod codes;
mod cold;
mod collect;
mod crash;
mod cuda;
mod cuda_clang;
mod diagnostics;
mod doctor;
mod documents;
mod explain;
mod faults;
mod flake;
mod gates;
mod hash;
mod help;
mod ide;
mod init;
mod inputs;
mod install;
mod interrupted;
mod load;
mod lock;
mod metal;
mod migrate;
mod nix;
mod nix_logs;
mod nix_machines;
mod output;
mod pin;
mod portable;
mod provenance;
mod published;
mod reference;
mod rights;
mod rocm;
mod run;
mod same_bytes;
mod scene;
mod settings;
mod several_libraries;
mod shell;
mod silence;
mod skills;
mod status;
#[path = "../../../kernel-core/tests/sysroot/systems.rs"]
#[allow(
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "shared with the tests of the sysroot"
)]
mod systems;
mod test;
mod toolchain;
mod tracked;
mod trust;
mod upload;
mod validate;
mod variants;
mod workflows;
mod xpu;
