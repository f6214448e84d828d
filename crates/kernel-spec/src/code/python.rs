//! Codes of the Python sources of a kernel.

codes! {
    /// The codes of Python sources.
    ALL;
    UNREADABLE = "python/unreadable", Check,
        means: "A Python file of the package is not UTF-8 or not valid Python",
        example: "`def f(:`, or a Latin-1 file",
        remedy: "Mend the syntax, or save the file as UTF-8";
    UNPREFIXED = "python/unprefixed-operator", Check,
        means: "An operator is registered under a name that is written out, without the kernel's own namespace",
        example: "`@torch.library.custom_op(\"my_kernel::f\", mutates_args=())`",
        remedy: "Pass the name through `add_op_namespace_prefix`, imported from `._ops`";
    SELF_IMPORT = "python/self-import", Check,
        means: "The package imports itself by its own name, which does not exist where the loader imports it",
        example: "`from my_kernel.layers import ReLU` inside the package `my_kernel`",
        remedy: "Make the import relative: `from .layers import ReLU`";
    NO_ALL = "python/no-all", Check,
        means: "The package does not list its public names",
        example: "an `__init__.py` without `__all__`",
        remedy: "Add `__all__ = [...]` to `__init__.py`: the card and users see what the kernel offers";
}
