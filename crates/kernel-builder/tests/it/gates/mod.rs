//! `test` on declared operations, with the real torch and loader: right kernels pass every gate, and each kind of wrong one
//! fails the gate that is there for it. The kernels are Python only: what is proved here does not depend on compilers.

mod declaration;
mod honest;
mod measured;
mod samples;
mod scene;
mod wrong;
