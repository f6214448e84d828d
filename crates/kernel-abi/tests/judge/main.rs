//! Judges real libraries, built here by the machine's own compiler and tools, and their mutations, and libraries of other
//! systems, written here.

mod edited;
mod edited_further;
mod facts;
mod foreign;
mod gpu;
mod hostile;
mod macho;
mod planted;
mod runtime;
mod workshop;
