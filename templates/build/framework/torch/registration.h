// Registration of operators, for kernels built against torch or against its stable ABI. Written by kernel-builder.
//
// Every build of a kernel has its own identifier, which is its Python module and its namespace under `torch.ops`; the loader can
// then hold several versions in one process. Here the identifier is data, not a macro: it stands in one small generated unit,
// so a new identifier costs one tiny compile and a link instead of a compile of every binding. Kernel sources write
// TORCH_EXTENSION_NAME where a name is asked for, and the macros below see that it means the identifier:
//
//     TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) { ops.def("f(Tensor x) -> Tensor"); }
//     TORCH_LIBRARY_IMPL_EXPAND(TORCH_EXTENSION_NAME, CPU, ops) { ops.impl("f", &f); }
//     REGISTER_EXTENSION(TORCH_EXTENSION_NAME)
//
// Any other name is taken literally. A build that defines TORCH_EXTENSION_NAME on the command line works too: the name then
// expands to the identifier before it gets here.

#pragma once

#include <Python.h>

extern "C" {
// Defined by the identity unit. Hidden: each library must see its own, however many are loaded.
__attribute__((visibility("hidden"))) extern const char kernel_builder_identity[];
}

namespace kernel_builder {

// `written` unless it is the word TORCH_EXTENSION_NAME left unexpanded; then the identifier of this build.
constexpr const char* library_name(const char* written) {
  const char* left = written;
  const char* right = "TORCH_EXTENSION_NAME";
  while (*left != '\0' && *left == *right) {
    ++left;
    ++right;
  }
  return *left == *right ? kernel_builder_identity : written;
}

} // namespace kernel_builder

#define _CONCAT(A, B) A##B
#define CONCAT(A, B) _CONCAT(A, B)

#define _STRINGIFY(A) #A
#define STRINGIFY(A) _STRINGIFY(A)

// torch's own registration macros paste the namespace into symbol names, so they need it while preprocessing. These make the
// same objects with a name from a counter. torch's macros also accept an identifier only; so do these, at registration.
#define KERNEL_BUILDER_LIBRARY_(KIND, KEY, NAME, M, UID)                                                              \
  static void CONCAT(kernel_builder_define_, UID)(::torch::Library&);                                                 \
  static const ::torch::detail::TorchLibraryInit CONCAT(kernel_builder_library_, UID)(                                \
      ::torch::Library::KIND, &CONCAT(kernel_builder_define_, UID),                                                   \
      ::kernel_builder::library_name(STRINGIFY(NAME)), KEY, __FILE__, __LINE__);                                      \
  void CONCAT(kernel_builder_define_, UID)([[maybe_unused]] ::torch::Library & M)

#define TORCH_LIBRARY_EXPAND(NAME, M) KERNEL_BUILDER_LIBRARY_(DEF, ::std::nullopt, NAME, M, __COUNTER__)
#define TORCH_LIBRARY_FRAGMENT_EXPAND(NAME, M) KERNEL_BUILDER_LIBRARY_(FRAGMENT, ::std::nullopt, NAME, M, __COUNTER__)
#define TORCH_LIBRARY_IMPL_EXPAND(NAME, DEV, M) \
  KERNEL_BUILDER_LIBRARY_(IMPL, ::std::make_optional(::c10::DispatchKey::DEV), NAME, M, __COUNTER__)

#define KERNEL_BUILDER_STABLE_LIBRARY_(KIND, KEY, NAME, M, UID)                                                       \
  static void CONCAT(kernel_builder_define_, UID)(::torch::stable::detail::StableLibrary&);                           \
  static const ::torch::stable::detail::StableTorchLibraryInit CONCAT(kernel_builder_library_, UID)(                  \
      ::torch::stable::detail::StableLibrary::Kind::KIND, &CONCAT(kernel_builder_define_, UID),                       \
      ::kernel_builder::library_name(STRINGIFY(NAME)), KEY, __FILE__, __LINE__);                                      \
  void CONCAT(kernel_builder_define_, UID)([[maybe_unused]] ::torch::stable::detail::StableLibrary & M)

#define STABLE_TORCH_LIBRARY_EXPAND(NAME, M) KERNEL_BUILDER_STABLE_LIBRARY_(DEF, nullptr, NAME, M, __COUNTER__)
#define STABLE_TORCH_LIBRARY_FRAGMENT_EXPAND(NAME, M) \
  KERNEL_BUILDER_STABLE_LIBRARY_(FRAGMENT, nullptr, NAME, M, __COUNTER__)
#define STABLE_TORCH_LIBRARY_IMPL_EXPAND(NAME, DEV, M) \
  KERNEL_BUILDER_STABLE_LIBRARY_(IMPL, STRINGIFY(DEV), NAME, M, __COUNTER__)

// Python's import needs a module initialiser of the identifier's name. The identity unit holds it, so nothing is left to do.
#define REGISTER_EXTENSION(NAME) static_assert(true, "");
