//! Codes of the Python sources of a kernel.

codes! {
    /// The codes of Python sources.
    ALL;
    UNREADABLE = "python/unreadable", Check,
        means: "A Python file of the package is not valid Python, or not in the coding that it names, or in one that is not read here",
        example: "`def f(:`, or a Latin-1 file that does not say so in its first two lines",
        remedy: "Mend the syntax, or save the file as UTF-8";
    TOO_LARGE = "python/too-large", Check,
        means: "A Python file, or all of a package together, is larger than what is looked at, so nothing is known of it",
        example: "a file of 15 MB that is one long list",
        remedy: "Split the file, or keep its data in a file that is no Python";
    UNPREFIXED = "python/unprefixed-operator", Check,
        means: "An operator is registered under a name that is written out, without the kernel's own namespace",
        example: "`@torch.library.custom_op(\"my_kernel::f\", mutates_args=())`",
        remedy: "Pass the name through `add_op_namespace_prefix`, imported from `._ops`";
    SELF_IMPORT = "python/self-import", Check,
        means: "The package imports itself or one of its modules by a bare name, which does not exist where the loader imports it",
        example: "`from my_kernel.layers import ReLU` or `from layers import ReLU` inside the package `my_kernel`",
        remedy: "Make the import relative: `from .layers import ReLU`";
    UNJUDGED = "python/unjudged", Check,
        means: "Whether an operator has the kernel's own namespace, or an import is of the package itself, is known only when the package runs",
        example: "`torch.library.register_fake(name_from_elsewhere(), f)`",
        remedy: "Take the name from `add_op_namespace_prefix`, imported from `._ops`, where it is registered";
    NOT_THERE = "python/not-there", Check,
        means: "`__all__` lists a name that the module does not have, or what is no name, or a relative import asks for a name or a module that is not there, or not yet",
        example: "`__all__ = [\"relu\", \"gelu\"]` in a file that defines `relu` only, or `from .functional import gelu` where it defines none",
        remedy: "Define or import the name, or take it out of `__all__` or the import";
    UNDECLARED = "python/undeclared", Check,
        means: "The package imports, whenever it is loaded, an installed package that `python-depends` does not name, so that the loader does not look for it",
        example: "`import einops` at the top of a file, without `python-depends = [\"einops\"]`",
        remedy: "Add it to `python-depends`, or import it in the function that needs it";
    TOO_NEW = "python/too-new", Check,
        means: "The package needs a newer Python than the oldest that kernels support",
        example: "`type Size = int`, which Python 3.11 cannot read",
        remedy: "Write it in a way that the oldest Python has, or import the newer part only where it is there";
    NO_ALL = "python/no-all", Check,
        means: "The package does not list its public names",
        example: "an `__init__.py` without `__all__`",
        remedy: "Add `__all__ = [...]` to `__init__.py`: the card and users see what the kernel offers";
}
