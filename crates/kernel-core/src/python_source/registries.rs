//! The functions of Torch that take the names of operators or their namespaces, and the namespaces that are not a kernel's.

/// A function of Torch that takes an operator's qualified name, or a namespace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Registering {
    pub(super) name: &'static str,
    /// The place of the parameter that takes it, and the keyword by which it can be passed.
    pub(super) parameter: (usize, &'static str),
    /// Whether it takes a namespace.
    pub(super) of_namespace: bool,
    /// Whether it defines the operator.
    pub(super) defines: bool,
}

const fn operator(name: &'static str, keyword: &'static str, defines: bool) -> Registering {
    Registering { name, parameter: (0, keyword), of_namespace: false, defines }
}

const fn of_namespace(name: &'static str, place: usize, keyword: &'static str) -> Registering {
    Registering { name, parameter: (place, keyword), of_namespace: true, defines: true }
}

/// Those of `torch.library` and of what it is made of, by their parameters in torch 2.15.
pub(super) const REGISTERING: &[Registering] = &[
    of_namespace("Library", 0, "ns"),
    of_namespace("_scoped_library", 0, "ns"),
    of_namespace("_dispatch_library", 1, "ns"),
    of_namespace("CustomOp", 1, "cpp_ns"),
    of_namespace("CustomOpDef", 0, "namespace"),
    of_namespace("get_library_allowing_overwrite", 0, "namespace"),
    operator("custom_op", "name", true),
    operator("custom_op", "qualname", true),
    operator("_custom_op_with_schema", "qualname", true),
    operator("define", "qualname", true),
    operator("impl", "qualname", false),
    operator("_impl", "qualname", false),
    operator("impl_abstract", "qualname", false),
    operator("impl_backward", "qualname", false),
    operator("impl_save_for_backward", "qualname", false),
    operator("register_autocast", "op", false),
    operator("register_autograd", "op", false),
    operator("_register_effectful_op", "op", false),
    operator("register_fake", "op", false),
    operator("register_kernel", "op", false),
    operator("register_torch_dispatch", "op", false),
    operator("register_vmap", "op", false),
    operator("triton_op", "name", true),
];

/// Any other function of Torch's own registries, which gets the name of an operator in whatever place.
pub(super) const PRIVATE: Registering = operator("?", "?", false);

/// The modules that register: their own names, under whatever path they are reached.
pub(super) const REGISTRIES: &[&str] = &["library", "_library", "_custom_op", "_custom_ops"];

/// The registering function that a path names, and the path's last name.
pub(super) fn registering(path: &str) -> Vec<(&'static Registering, &str)> {
    let Some(inside) = path.strip_prefix("torch.").filter(|inside| !inside.starts_with("ops.")) else {
        return Vec::new();
    };
    let (modules, last) = inside.rsplit_once('.').unwrap_or(("", inside));
    // The methods of a library have rules of their own.
    if modules.rsplit('.').next() == Some("Library") {
        return Vec::new();
    }
    let is_registry = modules.split('.').any(|module| REGISTRIES.contains(&module));
    if !is_registry && last != "_dispatch_library" {
        return if last.starts_with("_dispatch_") { vec![(&PRIVATE, last)] } else { Vec::new() };
    }
    let known: Vec<_> =
        REGISTERING.iter().filter(|known| known.name == last).map(|known| (known, last)).collect();
    let is_private = modules.split('.').chain([last]).any(|name| name.starts_with('_'));
    if known.is_empty() && is_private { vec![(&PRIVATE, last)] } else { known }
}

/// Whether a namespace is one of Torch's own or its sisters'.
pub(super) fn is_of_torch(namespace: &str) -> bool {
    OF_TORCH.contains(&namespace)
}

/// The namespaces of Torch itself (`torch._C._dispatch_get_all_op_names()` of 2.15, those of 2.11 added), and of its sister
/// libraries, in which a kernel may give operators an implementation, but define none.
const OF_TORCH: &[&str] = &[
    "_c10d_functional",
    "_c10d_functional_autograd",
    "_dtensor",
    "_native",
    "_native_aot",
    "_quantized",
    "_test",
    "aten",
    "c10d",
    "c10d_functional",
    "coor",
    "debug_mode_ops",
    "debugprims",
    "export",
    "flex_gemm",
    "fsdp",
    "higher_order",
    "inductor",
    "inductor_prims",
    "mkl",
    "mkldnn",
    "mkldnn_prepacked",
    "onednn",
    "prim",
    "prims",
    "profiler",
    "quantization",
    "quantized",
    "quantized_decomposed",
    "rngprims",
    "sparse",
    "static_runtime",
    "symm_mem",
    "torchaudio",
    "torchvision",
];
