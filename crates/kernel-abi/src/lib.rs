//! Judges whether a compiled library is portable. A crate of its own because others can use the judge alone, and
//! because bytes of unknown origin are read nowhere else.

mod check;
pub mod image;
pub mod policy;

pub use check::{check, check_program, entry_point, gpu_code};
pub use image::{Image, ImageError};
pub use policy::Policy;
