//! Judges whether a compiled library is portable. A crate of its own because others can use the judge alone, and
//! because bytes of unknown origin are read nowhere else.

pub mod image;

pub use image::{Image, ImageError};
