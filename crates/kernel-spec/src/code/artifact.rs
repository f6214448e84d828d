//! Codes of built variants: layout, metadata, digest.

codes! {
    /// The codes of artifacts.
    ALL;
    METADATA = "artifact/metadata", Check,
        means: "A variant's `metadata.json` is missing, unreadable or contradicts its files",
        example: "`id` in `metadata.json` differs from the library's name",
        remedy: "Build the variant again; a sealed directory must not be edited";
    UNREADABLE = "artifact/unreadable", Unreadable,
        means: "A file of a built variant could not be read",
        example: "a library without read permission",
        remedy: "Look at the path and the system's reason in the causes";
    LAYOUT = "artifact/layout", Check,
        means: "A built variant holds something that does not belong there, or lacks something that does",
        example: "a link to nothing, or no `__init__.py`",
        remedy: "Build the variant again; a sealed directory must not be edited";
    BYTECODE = "artifact/bytecode", Check,
        means: "A built variant holds byte code of Python, which no digest covers and which runs in place of the sources",
        example: "`__pycache__/__init__.cpython-311.pyc` that Python runs without looking at `__init__.py`",
        remedy: "Remove it; Python makes its own";
    FOREIGN = "artifact/foreign", Check,
        means: "The place of a variant holds something that no build has made",
        example: "a directory `build/torch213-cxx11-cpu-x86_64-linux` with notes in it and no `metadata.json`",
        remedy: "Move it away, or remove it if nobody needs it";
    LIBRARY = "artifact/library", Check,
        means: "A file that should be a library is none",
        example: "an empty `_relu_cpu_….abi3.so`",
        remedy: "Build the variant again";
    NOTE = "artifact/note", Check,
        means: "A library does not hold exactly one readable provenance note",
        example: "a library from which `strip` removed the notes",
        remedy: "Build the variant again, and do not process its libraries afterwards";
    NONE = "artifact/none", Check,
        means: "There is no built variant in the directory",
        example: "`hash` in a project that was never built",
        remedy: "Build one with `kernel-builder build`";
    PLACES = "artifact/places", Check,
        means: "Variants lie in several places in which the loader looks, or in one in which only a copy of the whole is looked at",
        example: "`torch-cpu` beside `build` of the same folder: `get_local_kernel` takes the former, and everybody else the latter",
        remedy: "Remove those that are not meant, or name the folder that holds those that are";
    NAME = "artifact/name", Check,
        means: "The directory of a variant is not named after what is in it",
        example: "a CPU variant that was renamed to `torch213-cxx11-cu130-x86_64-linux`",
        remedy: "Give the directory its name back, or build the variant again";
    DIGEST = "artifact/digest", Check,
        means: "The files of a variant are not those its metadata speak of",
        example: "an `__init__.py` that was edited after the build",
        remedy: "Build the variant again; `kernel-builder hash` writes a new digest where the change is meant";
    LINK = "artifact/link", Check,
        means: "The folder that a build writes to is a link out of the project",
        example: "a checkout in which `build` is a link to another folder",
        remedy: "Remove the link; `build --out DIR` puts variants elsewhere";
}
