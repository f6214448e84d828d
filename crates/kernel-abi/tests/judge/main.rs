//! Judges real libraries, built here by the machine's own compiler and tools, and their mutations.

mod facts;
mod hostile;
mod planted;
mod workshop;
