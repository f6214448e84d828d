//! Runs the real binary as a user does; one module per area.
