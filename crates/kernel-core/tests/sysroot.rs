//! Kernels linked through the sysroot, with real compilers, loaded where they must load.
#![allow(unreachable_pub, reason = "modules of one test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "a test starts compilers and programs itself")]

mod sysroot {
    pub mod bench;
    pub mod beside;
    pub mod findings;
    pub mod load;
    pub mod stubs;
    pub mod systems;
}
