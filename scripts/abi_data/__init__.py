"""Makes the ABI tables of kernel-builder from published packages."""
